package policy

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// tries of a node that did not pass: since its last pass, and since it last changed or booted, as far as its history tells.
type tries struct {
	// runs that count against the limit of retries, and early ones, which do not: nothing could run yet on a node that was young then.
	runs, early []types.UID
	last        time.Time
	// lastEarly: the last try was an early one.
	lastEarly bool
}

// triesOf a node, which was young until then; zero: it was not. Where none is left because all were over another fabric, all count, unless the last run of
// the policy began while the node's own was another one: a group whose nodes differ goes over no fabric of theirs, each time.
func (t *terms) triesOf(n *Node, seen *Seen, young time.Time) tries {
	out := t.triesSince(n, anyChange, young)
	if out.none() && (seen.Tried.Run == "" || !workload.OtherFabric(seen.Tried.Fabric, t.fabricOf(n))) {
		return t.triesSince(n, anyButFabrics, young)
	}
	return out
}

// triesSince the node last changed so.
func (t *terms) triesSince(n *Node, by changes, young time.Time) tries {
	var all []try
	for i := range t.benchmarks {
		b := &t.benchmarks[i]
		if h := n.Validation.Benchmark(b.Object.Name); h != nil {
			all = b.appendTries(all, h, t.machines.of(n.Object, b.Object), by)
		}
	}
	var since time.Time // the last one on what was another machine, or another boot of it
	for _, o := range all {
		if o.elsewhere && o.at.After(since) {
			since = o.at
		}
	}
	var out tries
	for _, o := range all {
		if o.elsewhere || !o.at.After(since) || !t.counts(o.at) {
			continue
		}
		early := o.nothingRan && o.at.Before(young)
		if list := out.list(early); !slices.Contains(*list, o.run) {
			*list = append(*list, o.run)
		}
		if o.at.After(out.last) {
			out.last, out.lastEarly = o.at, early
		}
	}
	// A run of which one benchmark ran counts, whatever became of the others.
	out.early = slices.DeleteFunc(out.early, func(run types.UID) bool { return slices.Contains(out.runs, run) })
	out.lastEarly = out.lastEarly && len(out.early) > 0
	return out
}

func (t *tries) list(early bool) *[]types.UID {
	if early {
		return &t.early
	}
	return &t.runs
}

func (t *tries) none() bool { return len(t.runs)+len(t.early) == 0 }

// try is a run that failed a node, or came to nothing there.
type try struct {
	run types.UID
	at  time.Time
	// elsewhere: the node was not what it is now.
	elsewhere bool
	// nothingRan: no program was started, as the image, the devices or something else of the cluster was missing.
	nothingRan bool
}

// missing are the reasons of attempts for which the node, or the cluster, lacked something: a young node may have it soon.
var missing = []string{v1alpha1.ReasonImagePullFailed, v1alpha1.ReasonPodStartFailed, v1alpha1.ReasonUnschedulable, v1alpha1.ReasonEvicted,
	v1alpha1.ReasonNodeNotReady, v1alpha1.ReasonDevicesMissing, v1alpha1.ReasonMPIOperatorMissing, v1alpha1.ReasonMPIOperatorSilent}

// appendTries since the last pass. A run in vain that asked for something else, by its parameters or by another image, is none, nor one that
// failed its own terms alone.
func (b *Benchmark) appendTries(all []try, h *v1alpha1.BenchmarkState, is *v1alpha1.Machine, by changes) []try {
	var pass time.Time
	for i := len(h.History) - 1; i >= 0; i-- {
		e := &h.History[i]
		if e.Verdict != v1alpha1.VerdictFail {
			pass = e.Time.Time
			break
		}
		if !e.OwnTerms || b.Own {
			all = append(all, try{e.RunUID, e.Time.Time, by.other(e.Machine, is), false})
		}
	}
	for i := range h.Unproved {
		u := &h.Unproved[i]
		if u.Time.After(pass) && u.Asked == b.Asked {
			all = append(all, try{u.RunUID, u.Time.Time, by.other(u.Machine, is), slices.Contains(missing, u.Reason)})
		}
	}
	return all
}

// other: the node was another machine then; nil: unknown, which counts as the same.
func (c changes) other(was, is *v1alpha1.Machine) bool { return was != nil && c.differ(was, is) != "" }

// fresh: the node is not what it was when it was last judged; what is not known has not changed.
func fresh(nv *v1alpha1.NodeValidation, is *v1alpha1.Machine) bool {
	was := &nv.Fingerprint
	differs := func(was, is string) bool { return was != "" && is != "" && was != is }
	return differs(was.BootID, is.BootID) || differs(was.Kernel, is.Kernel) || differs(was.Driver, is.Driver)
}

// youngUntil is when the time of a gated node's gate is over: what could not be measured before that was too young. Zero: the node was not gated.
// After a restart, one that is gated for the second time counts as gated anew; the status may tell since when it is to be measured.
func (p *pass) youngUntil(n *node) time.Time {
	if n.gated {
		since := n.seen.ClosedSince
		if n.since.Before(since) {
			since = n.since
		}
		return since.Add(p.gate.timeout)
	}
	if record, ok := v1alpha1.GateRecordOf(n.Object.Annotations); ok && record.Policy == p.Policy.Name { // somebody opened the gate meanwhile
		return record.OpenedAt.Time
	}
	return time.Time{}
}

// soon is when a node is tried again on which nothing could run because it was too young: a minute after the last run, twice as long after the next
// one, and so on, at most as long as any other node waits.
func (p *pass) soon(n *node) time.Time {
	delay := min(time.Minute<<min(len(n.tries.early)-1, 20), seconds(p.spec.Retry.AfterSeconds))
	last := n.tries.last
	if t := n.seen.Tried; t.Run != "" {
		last = latest(last, p.triedUntil(t))
	}
	return last.Add(delay)
}

// retryAt is when the next try may be; zero: there is none left.
func retryAt(r v1alpha1.Retry, made tries) time.Time {
	n, limit := len(made.runs), retryLimit(r)
	if n > limit || limit == 0 { // early tries are no retries, but what follows them is one
		return time.Time{}
	}
	return made.last.Add(seconds(r.AfterSeconds) << max(0, n-1))
}

// Defaults of spec.retry, where the API server did not fill them in.
const (
	defaultRetryLimit = 3
	defaultRetryAfter = int64(3600)
)

func retryLimit(r v1alpha1.Retry) int {
	if r.Limit == nil {
		return defaultRetryLimit
	}
	return int(*r.Limit)
}
