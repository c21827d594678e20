package validity

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/policy/needs"
)

// Standing of a node by one benchmark, the weightier the later: what is said of a node is its weightiest.
type Standing int

const (
	// Passed: it holds a valid pass.
	Passed Standing = iota
	// Exempt: the benchmark is not for this node.
	Exempt
	Expired
	// Never: it was not measured yet.
	Never
	// Changed: the pass is of another machine, or what was measured since, another measurement.
	Changed
	// Requested: it is older than a request to measure all nodes.
	Requested
	// Unmeasured: the latest measurement came to neither Pass nor Fail.
	Unmeasured
	// Failed: the newest Pass or Fail that counts is a Fail.
	Failed
)

// Finding is what one benchmark says of a node.
type Finding struct {
	Standing
	// At: when it was measured; zero: never.
	At time.Time
	// run that measured last, and in which the outcome is told.
	run types.UID
	// Change that cost the pass, of a benchmark that changed.
	Change v1alpha1.Change
	// Reason of an unmeasured one.
	Reason string
	// FailedBefore: it failed, whatever a weaker run found later. unjudged: a run measured it, and nothing could judge that, whatever came to nothing later.
	failedBefore, unjudged bool
}

// find says how a node stands by one benchmark. What failed, a pass alone puts right, and not fewer devices.
func (t *Terms) find(b *Benchmark, n Node, h *v1alpha1.BenchmarkState) Finding {
	h = cmp.Or(h, &v1alpha1.BenchmarkState{})
	r := b.recordOf(h)
	entry := r.newest()
	measured := Finding{Standing: Never}
	if len(r.failures) > 0 {
		return Finding{Standing: Failed, At: entry.Time.Time, run: entry.RunUID}
	}
	if entry != nil {
		if measured = t.weigh(b, n, entry); measured.Standing == Passed {
			return measured
		}
		measured.failedBefore = t.failedBefore(b, h)
	}
	unproved := b.unproved(h)
	measured.unjudged = t.unjudged(b, h)
	switch {
	case needs.Exempts(b.Object, n.Object) && !measured.failedBefore:
		return Finding{Standing: Exempt}
	case unproved == nil || entry != nil && !unproved.Time.After(entry.Time.Time):
		return measured
	case t.Counts(unproved.Time.Time):
		return Finding{Standing: Unmeasured, At: unproved.Time.Time, run: unproved.RunUID, Reason: unproved.Reason,
			failedBefore: measured.failedBefore, unjudged: measured.unjudged}
	case entry == nil:
		return Finding{Standing: Requested, At: unproved.Time.Time, run: unproved.RunUID, unjudged: measured.unjudged}
	}
	return measured
}

// failedBefore: it failed what the policy asks for, or own terms where the policy has some, and has not passed since as the policy asks. Another image, or a
// pass as the Benchmark asks, may have made it due since.
func (t *Terms) failedBefore(b *Benchmark, h *v1alpha1.BenchmarkState) bool {
	for _, e := range slices.Backward(h.History) {
		if t.asks(b, &e) || e.OwnTerms && b.Own {
			return e.Verdict == v1alpha1.VerdictFail
		}
	}
	return false
}

// unjudged: nothing could judge what a run measured, whatever it asked for, and none has passed since as the policy asks, whatever the image.
func (t *Terms) unjudged(b *Benchmark, h *v1alpha1.BenchmarkState) bool {
	passed := time.Time{}
	for e := range list.Each(h.History) {
		if e.Verdict == v1alpha1.VerdictPass && b.hasTerms(e) {
			passed = e.Time.Time
		}
	}
	return slices.ContainsFunc(h.Unproved, func(u v1alpha1.UnprovedRun) bool {
		return u.Verdict == v1alpha1.VerdictInconclusive && u.Time.After(passed)
	})
}

// unproved is the newest run that asked for what the policy asks for, and came to neither Pass nor Fail; nil: there is none.
func (b *Benchmark) unproved(h *v1alpha1.BenchmarkState) *v1alpha1.UnprovedRun {
	for i := len(h.Unproved) - 1; i >= 0; i-- {
		if h.Unproved[i].Asked == b.Asked {
			return &h.Unproved[i]
		}
	}
	return nil
}

// weigh what was measured last: what it still says. A failure was asked for otherwise.
func (t *Terms) weigh(b *Benchmark, n Node, e *v1alpha1.HistoryEntry) Finding {
	f := Finding{At: e.Time.Time, run: e.RunUID}
	expires := t.Expires(f.At)
	switch {
	case !t.Counts(f.At):
		f.Standing = Requested
	case e.Machine == nil || !t.asks(b, e): // what an earlier release recorded says neither what was asked nor of which machine
		f.Standing, f.Change = Changed, v1alpha1.ChangeBenchmark
	default:
		is := t.Machine(n.Object, b.Object)
		if f.Change = t.on.differ(e.Machine, &is); f.Change != "" {
			f.Standing = Changed
		} else if !expires.IsZero() && !t.now.Before(expires) {
			f.Standing = Expired
		}
	}
	return f
}

// asks: the policy asks for what was measured then.
func (t *Terms) asks(b *Benchmark, e *v1alpha1.HistoryEntry) bool {
	return e.Asked != "" && b.hasTerms(e) && (!t.on.benchmark || e.Asked == b.Asked)
}
