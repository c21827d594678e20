package nodevalidation

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
)

// maxHeldRuns is a bound of the API.
const maxHeldRuns = 20

// recordHeld keeps which rules a run held, at the place of its time, and drops what a newer measurement held under terms as hard.
func recordHeld(h *v1alpha1.BenchmarkHistory, b *v1alpha1.BenchmarkResult, j Judgement, convicted []v1alpha1.Conviction) {
	ofRun := func(r v1alpha1.HeldRules) bool { return r.RunUID == j.Run.UID }
	if !measuredNow(b) && !unjudged(b) { // what this run took for a pass, while it knew less, is none
		h.Held = dropped(h.Held, func(r v1alpha1.HeldRules) bool { return ofRun(r) && r.Verdict == v1alpha1.VerdictPass })
		return
	}
	of := j.Benchmarks[b.Name]
	if unjudged(b) { // a loss that a provisional past told of is refuted by it, too
		of.Held = dropped(of.Held, func(h v1alpha1.HeldRule) bool { return h.Rule != term.Regression })
	}
	rules, more := mostHeld(of.Held, convicted)
	held := v1alpha1.HeldRules{RunUID: j.Run.UID, Time: MeasuredAt(b), Verdict: b.Verdict, Configuration: Configuration(b), OwnParameters: of.OwnParameters,
		Rules: rules, More: more}
	h.Held = insertHeld(dropped(h.Held, ofRun), held)
}

// insertHeld puts what a measurement held among the others, by its time.
func insertHeld(all []v1alpha1.HeldRules, held v1alpha1.HeldRules) []v1alpha1.HeldRules {
	all = append(all, held)
	slices.SortStableFunc(all, func(a, b v1alpha1.HeldRules) int { return inOrder(a.Time, a.RunUID, b.Time, b.RunUID) })
	for i := range all {
		old := &all[i]
		old.Rules = dropped(old.Rules, func(r v1alpha1.HeldRule) bool { return heldSince(all[i+1:], old, &r) })
	}
	all = dropped(all, func(r v1alpha1.HeldRules) bool { return len(r.Rules) == 0 })
	return all[max(0, len(all)-maxHeldRuns):]
}

// heldSince: a newer measurement held the rule under terms as hard.
func heldSince(newer []v1alpha1.HeldRules, old *v1alpha1.HeldRules, r *v1alpha1.HeldRule) bool {
	return slices.ContainsFunc(newer, func(n v1alpha1.HeldRules) bool {
		return slices.ContainsFunc(n.Rules, func(h v1alpha1.HeldRule) bool {
			return h.Metric == r.Metric && h.Rule == r.Rule && term.AsHard(&n, old, &h, r)
		})
	})
}

// dropped is a list without some; nil where none is left. The list itself stays as it is.
func dropped[T any](all []T, drop func(T) bool) []T {
	return list.Where(all, func(one T) bool { return !drop(one) })
}

// recordUnconfirmed notes which parts were suspect in a run until they were measured again.
func recordUnconfirmed(h *v1alpha1.BenchmarkHistory, b *v1alpha1.BenchmarkResult, j Judgement) {
	if !measuredNow(b) {
		return
	}
	h.Unconfirmed = dropped(h.Unconfirmed, func(u v1alpha1.UnconfirmedParts) bool { return u.RunUID == j.Run.UID })
	if parts := identified(j.Benchmarks[b.Name].Cleared, b); len(parts) > 0 {
		h.Unconfirmed = append(h.Unconfirmed, v1alpha1.UnconfirmedParts{RunUID: j.Run.UID, Time: MeasuredAt(b), Parts: parts})
	}
}

// unconfirmedIn the runs of the ring, in order of time.
func unconfirmedIn(all []v1alpha1.UnconfirmedParts, entries []v1alpha1.HistoryEntry) []v1alpha1.UnconfirmedParts {
	var kept []v1alpha1.UnconfirmedParts
	for _, e := range entries {
		if i := unconfirmedBy(all, e.RunUID); i >= 0 {
			kept = append(kept, all[i])
		}
	}
	return kept
}

func unconfirmedBy(all []v1alpha1.UnconfirmedParts, run types.UID) int {
	return slices.IndexFunc(all, func(u v1alpha1.UnconfirmedParts) bool { return u.RunUID == run })
}
