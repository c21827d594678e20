package policy

import (
	"strconv"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// labelled: where there is a label that counts the devices, it says the same.
func labelled(count string, have int64) bool {
	n, err := strconv.ParseInt(count, 10, 64)
	return count == "" || err == nil && n == have
}

// state of a node by a policy: each selected node is in one of them.
type state int

const (
	valid state = iota
	due
	notMeasured
	unfit
)

// judgement of a node by all benchmarks of a policy.
type judgement struct {
	finding
	state state
	// benchmark that says so.
	benchmark *Benchmark
	// oldest of the passes that make the node valid.
	oldest time.Time
	// tried: a run came to nothing since a pass. unjudged and failedBefore are those of any benchmark.
	tried, unjudged, failedBefore bool
	// inGroups: only what is measured with other nodes is missing.
	inGroups bool
	// conviction that stands; nil: none.
	conviction *v1alpha1.Conviction
	// cause identifies what makes the node due: as long as it is the same, nothing has come of a run.
	cause cause
}

// judge a node.
func (t *terms) judge(n *Node) judgement {
	nv := known(n)
	j := judgement{cause: t.newCause(n)}
	proved := false
	for i := range t.benchmarks {
		b := &t.benchmarks[i]
		h := nv.Benchmark(b.Object.Name)
		f := t.find(b, n, h)
		switch {
		case f.standing > exempt:
			j.misses(b, f)
		case f.standing == passed:
			proved = true
			j.tried = j.tried || b.unproved(h) != nil
			if j.oldest.IsZero() || f.at.Before(j.oldest) {
				j.oldest = f.at
			}
		}
	}
	if j.benchmark == nil && !proved { // the catalogue has none for this node
		j.finding, j.benchmark = finding{standing: never}, &t.benchmarks[0]
	}
	j.conclude()
	if nv != nil && len(nv.Convictions) > 0 {
		j.state, j.conviction = unfit, &nv.Convictions[0]
	}
	return j
}

// known of a node; nil: nothing, or only of a predecessor of its name.
func known(n *Node) *v1alpha1.NodeValidation {
	if n.Validation == nil || n.Validation.Fingerprint.NodeUID != n.Object.UID {
		return nil
	}
	return n.Validation
}

// misses a valid pass of a benchmark.
func (j *judgement) misses(b *Benchmark, f finding) {
	j.cause.add(b.Object.Name, f)
	j.failedBefore = j.failedBefore || f.failedBefore
	j.unjudged = j.unjudged || f.unjudged
	j.inGroups = b.Object.Spec.Scope == v1alpha1.ScopeGroup && (j.inGroups || j.benchmark == nil)
	if j.benchmark == nil || f.standing > j.standing {
		j.finding, j.benchmark = f, b
	}
}

// conclude the state from the weightiest finding.
func (j *judgement) conclude() {
	switch {
	case j.benchmark == nil:
		j.state = valid
		j.cause.time(j.oldest)
	case j.standing == failed:
		j.state = unfit
	case j.standing == unmeasured:
		j.state = notMeasured
	default:
		j.state = due
	}
}

// holds: the node has a valid pass of every benchmark, whatever else convicts it.
func (j *judgement) holds() bool { return j.benchmark == nil }

// cause is a hash (FNV-1a) of what makes a node due.
type cause uint64

func (t *terms) newCause(n *Node) cause {
	c := cause(14695981039346656037)
	c.text(n.Object.Status.NodeInfo.BootID)
	c.time(t.requested)
	return c
}

func (c *cause) text(s string) {
	h := uint64(*c)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	*c = cause((h ^ 0xff) * 1099511628211)
}

func (c *cause) time(at time.Time) {
	*c = cause((uint64(*c) ^ uint64(at.Unix())) * 1099511628211)
}

func (c *cause) add(benchmark string, f finding) {
	c.text(benchmark)
	c.text(string(f.change))
	c.text(string(f.run))
	c.time(f.at)
}
