package nodevalidation

import (
	"cmp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// maxUnproved is the bound of the API.
const maxUnproved = 10

// tried says whether a run tried a benchmark on a node, in vain. What was skipped was not started: the node was in use or cordoned, say, or lacks
// what the benchmark needs.
func tried(b *v1alpha1.BenchmarkResult) bool {
	return slices.Contains([]v1alpha1.Verdict{v1alpha1.VerdictError, v1alpha1.VerdictInconclusive, v1alpha1.VerdictMissing}, b.Verdict)
}

// recordUnproved notes a run that tried the benchmark and proved nothing by it, at the place of its time. A pass wipes out what came before it: one on a run's
// own terms only what asked for the same, and one as the Benchmark asks all but what nothing could judge by own terms, by which a policy may go.
func recordUnproved(h *v1alpha1.BenchmarkState, entries []v1alpha1.HistoryEntry, b *v1alpha1.BenchmarkResult, j Judgement) {
	at := cmp.Or(lastLaunchOf(b), lastLaunch(j.Result))
	known := unprovedRun(b, j, at)
	h.Unproved = slices.DeleteFunc(h.Unproved, func(u v1alpha1.UnprovedRun) bool {
		if u.RunUID == j.Run.UID && u.Time.Equal(&at) {
			known.Machine = u.Machine
		}
		return u.RunUID == j.Run.UID
	})
	if tried(b) && !at.IsZero() {
		h.Unproved = append(h.Unproved, known)
	}
	h.Unproved = dropped(h.Unproved, func(u v1alpha1.UnprovedRun) bool { return passedSince(entries, &u) })
	slices.SortFunc(h.Unproved, func(a, b v1alpha1.UnprovedRun) int { return inOrder(a.Time, a.RunUID, b.Time, b.RunUID) })
	for len(h.Unproved) > maxUnproved {
		kept, i := lastUnjudged(h.Unproved), 0
		for slices.Contains(kept, i) {
			i++
		}
		h.Unproved = slices.Delete(h.Unproved, i, i+1)
	}
}

// lastUnjudged are the places of the last runs that nothing could judge, one of each that was asked for. Runs that measured nothing do not push them out, as they
// keep a gate shut; nor do more of them push those out, which a policy counts before it gives up.
func lastUnjudged(all []v1alpha1.UnprovedRun) (places []int) {
	asked := map[string]bool{}
	for i, u := range slices.Backward(all) {
		if u.Verdict == v1alpha1.VerdictInconclusive && !asked[u.Asked] && len(places) < maxOwnTerms {
			asked[u.Asked] = true
			places = append(places, i)
		}
	}
	return places
}

// unprovedRun says what was asked for and on which machine, as an entry of the history does, or it would be held against another image or driver.
// Where there was no attempt, the machine is the present one.
func unprovedRun(b *v1alpha1.BenchmarkResult, j Judgement, at metav1.Time) v1alpha1.UnprovedRun {
	of := j.Benchmarks[b.Name]
	u := v1alpha1.UnprovedRun{RunUID: j.Run.UID, Time: at, Verdict: b.Verdict, Reason: quantity.Clip(b.Reason, 64), Asked: of.Asked}
	if len(b.Attempts) == 0 {
		u.Machine = new(MachineOf(j.Node, of.DeviceResource, of.Fabric))
		return u
	}
	last := &b.Attempts[len(b.Attempts)-1]
	u.Machine = last.Machine.DeepCopy()
	if strings.HasPrefix(last.Configuration, OtherConfiguration) {
		u.Asked = ""
	}
	return u
}

func passedSince(entries []v1alpha1.HistoryEntry, u *v1alpha1.UnprovedRun) bool {
	ownTerms := u.Verdict == v1alpha1.VerdictInconclusive && u.Asked != "" && !slices.ContainsFunc(entries, func(e v1alpha1.HistoryEntry) bool {
		return e.AsCatalogued() && e.Asked == u.Asked
	})
	return slices.ContainsFunc(entries, func(e v1alpha1.HistoryEntry) bool {
		asks := e.AsCatalogued() && !ownTerms || e.Asked != "" && e.Asked == u.Asked
		return e.Verdict == v1alpha1.VerdictPass && asks && !later(u.Time, u.RunUID, e.Time, e.RunUID)
	})
}
