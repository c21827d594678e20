// Package validity says whether a node holds a valid pass of everything that a policy asks for, and if not, what it misses and why.
package validity

import (
	"hash/maphash"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// state of a node by a policy: each selected node is in one of them.
type state int

const (
	Valid state = iota
	Due
	NotMeasured
	Unfit
)

// Judgement of a node by all benchmarks of a policy.
type Judgement struct {
	Finding
	State state
	// Benchmark that says so.
	Benchmark *Benchmark
	// Oldest of the passes that make the node valid.
	Oldest time.Time
	// Tried: a run came to nothing since a pass. Unjudged and FailedBefore are those of any benchmark.
	Tried, Unjudged, FailedBefore bool
	// Lost: the last run by a benchmark found that devices are missing.
	Lost bool
	// InGroups: only what is measured with other nodes is missing.
	InGroups bool
	// Conviction that stands; nil: none.
	Conviction *v1alpha1.Conviction
	// Cause identifies what makes the node due: as long as it is the same, nothing has come of a run.
	Cause Cause
}

// Judge a node.
func (t *Terms) Judge(n Node) Judgement {
	nv := Known(n)
	j := Judgement{Cause: Cause(0).and(n.Object.Status.NodeInfo.BootID).and(t.Requested.Unix())}
	proved := false
	for b := range list.Each(t.benchmarks) {
		h := nv.Benchmark(b.Object.Name)
		f := t.find(b, n, h)
		switch {
		case f.Standing > Exempt:
			j.misses(b, f)
		case f.Standing == Passed:
			proved = true
			j.Tried = j.Tried || b.unproved(h) != nil
			list.Sooner(&j.Oldest, f.At)
		}
	}
	if j.Benchmark == nil && !proved { // the catalogue has none for this node
		j.Finding, j.Benchmark = Finding{Standing: Never}, &t.benchmarks[0]
	}
	switch {
	case j.Benchmark == nil:
		j.State = Valid
		j.Cause = j.Cause.and(j.Oldest.Unix())
	case j.Standing == Failed:
		j.State = Unfit
	case j.Standing == Unmeasured:
		j.State = NotMeasured
	default:
		j.State = Due
	}
	if nv != nil && len(nv.Convictions) > 0 {
		j.State, j.Conviction = Unfit, &nv.Convictions[0]
	}
	return j
}

// Known of a node; nil: nothing, or only of a predecessor of its name.
func Known(n Node) *v1alpha1.NodeValidation {
	if n.Validation == nil || n.Validation.Fingerprint.NodeUID != n.Object.UID {
		return nil
	}
	return n.Validation
}

// misses a valid pass of a benchmark.
func (j *Judgement) misses(b *Benchmark, f Finding) {
	j.Cause = j.Cause.and([...]any{b.Object.Name, f.Change, f.run, f.At.Unix()})
	j.FailedBefore = j.FailedBefore || f.failedBefore
	j.Unjudged = j.Unjudged || f.unjudged
	j.Lost = j.Lost || f.Reason == v1alpha1.ReasonDevicesMissing
	j.InGroups = b.Object.Spec.Scope == v1alpha1.ScopeGroup && (j.InGroups || j.Benchmark == nil)
	if j.Benchmark == nil || f.Standing > j.Standing {
		j.Finding, j.Benchmark = f, b
	}
}

// Holds: the node has a valid pass of every benchmark, whatever else convicts it.
func (j *Judgement) Holds() bool { return j.Benchmark == nil }

// Cause is a hash of what makes a node due, for as long as this process runs.
type Cause uint64

var seed = maphash.MakeSeed()

func (c Cause) and(more any) Cause { return Cause(maphash.Comparable(seed, [2]any{c, more})) }
