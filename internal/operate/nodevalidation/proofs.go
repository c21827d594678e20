package nodevalidation

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// maxOwnTerms is of how many own terms of runs, the newest, the last pass is kept, whatever is measured on others: each is what a policy may ask for.
const maxOwnTerms = 4

// proofsIn are the places of the passes that a policy may go by: the last on the Benchmark's terms, and the last on the newest own terms of runs.
func proofsIn(entries []v1alpha1.HistoryEntry) []int {
	var proofs []int
	terms := map[string]bool{}
	own := 0
	for i, e := range slices.Backward(entries) {
		asked := ""
		if !e.AsCatalogued() {
			asked = e.Asked
		}
		if e.Verdict != v1alpha1.VerdictPass || terms[asked] || !e.AsCatalogued() && (asked == "" || own == maxOwnTerms) {
			continue
		}
		if asked != "" {
			own++
		}
		terms[asked] = true
		proofs = append(proofs, i)
	}
	return proofs
}

// proofsOf entries, as the state has them: those passes, in any case the last, and the failures since the first of them; failures before that only where
// passes of something else alone followed. What was measured, only the newest says.
func proofsOf(entries []v1alpha1.HistoryEntry) []v1alpha1.HistoryEntry {
	proofs, last := proofsIn(entries), len(entries)-1
	for i, e := range slices.Backward(entries) {
		if e.Verdict == v1alpha1.VerdictPass {
			proofs = append(proofs, i)
			break
		}
	}
	first := 0
	if len(proofs) > 0 {
		first = slices.Min(proofs)
	}
	var kept []v1alpha1.HistoryEntry
	for i, e := range entries {
		if e.Verdict == v1alpha1.VerdictPass && !slices.Contains(proofs, i) || i < first && !stillFailed(entries[i:]) {
			continue
		}
		if i < last {
			e.Configuration, e.Values = "", nil
		}
		kept = append(kept, e)
	}
	return kept
}

// stillFailed: the first of these entries is a failure, and no later one is of the same measurement, or only passes on runs' own terms followed.
func stillFailed(entries []v1alpha1.HistoryEntry) bool {
	e := &entries[0]
	again := slices.ContainsFunc(entries[1:], func(later v1alpha1.HistoryEntry) bool { return later.Asked == e.Asked })
	passed := slices.ContainsFunc(entries[1:], func(later v1alpha1.HistoryEntry) bool {
		return later.Verdict == v1alpha1.VerdictPass && later.AsCatalogued()
	})
	return e.Verdict == v1alpha1.VerdictFail && (e.Asked != "" && !again || !e.OwnTerms && !passed)
}

// bounded are the last entries. Passes and failures have a ring each, so that no number of failures makes a node forget how good it was. No number of others
// makes a pass forgotten that a policy may go by, nor what failed a run's own terms alone another failure. What was asked, only the newest of the same says:
// a failure stands until just that was measured again. Runs on own terms say it always, as they prove something only to who asks for the same.
func bounded(entries []v1alpha1.HistoryEntry) []v1alpha1.HistoryEntry {
	proofs := list.Map(proofsIn(entries), func(i int) types.UID { return entries[i].RunUID })
	entries = lastOf(entries, v1alpha1.VerdictPass, func(e *v1alpha1.HistoryEntry) bool { return !slices.Contains(proofs, e.RunUID) })
	entries = lastOf(entries, v1alpha1.VerdictFail, func(e *v1alpha1.HistoryEntry) bool { return e.OwnTerms })
	for i := range entries {
		old := &entries[i]
		if old.AsCatalogued() && slices.ContainsFunc(entries[i+1:], func(e v1alpha1.HistoryEntry) bool { return e.Asked == old.Asked }) {
			old.Asked = ""
		}
	}
	return entries
}

// lastOf drops all entries of a verdict but the last ones. Some go first.
func lastOf(entries []v1alpha1.HistoryEntry, v v1alpha1.Verdict, first func(*v1alpha1.HistoryEntry) bool) []v1alpha1.HistoryEntry {
	extra := list.Count(entries, func(e v1alpha1.HistoryEntry) bool { return e.Verdict == v }) - maxHistory
	for _, goes := range []bool{true, false} {
		entries = slices.DeleteFunc(entries, func(e v1alpha1.HistoryEntry) bool {
			if e.Verdict != v || first(&e) != goes || extra <= 0 {
				return false
			}
			extra--
			return true
		})
	}
	return entries
}
