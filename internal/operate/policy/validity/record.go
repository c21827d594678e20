package validity

import (
	"cmp"
	"slices"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// record is what a policy takes from a node's passes and failures by one benchmark.
type record struct {
	// pass is the last on the policy's terms, and failures are those since, the newest first; nil: there is none that still counts.
	pass     *v1alpha1.HistoryEntry
	failures []*v1alpha1.HistoryEntry
	// doubt is the newest failure since by own terms alone that may be the policy's: where the image is another one, nothing tells.
	doubt *v1alpha1.HistoryEntry
	// other is the newest pass on other terms since.
	other *v1alpha1.HistoryEntry
}

// recordOf a node. What others ask for on terms of their own is no matter of the policy, but what fails the Benchmark is, until that, or what the policy asks for,
// passes.
func (b *Benchmark) recordOf(h *v1alpha1.BenchmarkState) (r record) {
	if h == nil {
		return r
	}
	passed := false
	for i := range slices.Backward(h.History) {
		switch e := &h.History[i]; {
		case e.Verdict == v1alpha1.VerdictPass && b.hasTerms(e):
			r.pass = e
			return r
		case e.Verdict == v1alpha1.VerdictPass:
			r.other = cmp.Or(r.other, e)
			passed = passed || e.AsCatalogued()
		case e.OwnTerms && !b.Own:
		case e.OwnTerms && e.Asked != "" && e.Asked != b.Asked:
			r.doubt = cmp.Or(r.doubt, e)
		case !e.OwnTerms && passed: // a pass before that proves nothing any more
			return r
		default:
			r.failures = append(r.failures, e)
		}
	}
	return r
}

// newest Pass or Fail that counts, or else one that does not, as it was asked for otherwise; nil: there is none.
func (r *record) newest() *v1alpha1.HistoryEntry {
	if len(r.failures) > 0 {
		return r.failures[0]
	}
	return cmp.Or(r.doubt, r.pass, r.other)
}

// Newest Pass or Fail by which a node stands as it does; nil: there is none.
func (b *Benchmark) Newest(h *v1alpha1.BenchmarkState) *v1alpha1.HistoryEntry {
	r := b.recordOf(h)
	return r.newest()
}

// FailedSince is when the first failure since the last pass was measured, of a node that failed.
func (b *Benchmark) FailedSince(h *v1alpha1.BenchmarkState) time.Time {
	failures := b.recordOf(h).failures
	return failures[len(failures)-1].Time.Time
}

// hasTerms: the run asked for what the policy does, whatever the image, or, where that has own terms, for just the same.
func (b *Benchmark) hasTerms(e *v1alpha1.HistoryEntry) bool {
	if b.Own {
		return e.Asked == b.Asked
	}
	return e.AsCatalogued()
}
