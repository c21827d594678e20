package taint

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// maxUnproved is the bound of the API.
const maxUnproved = 10

// Tried says whether a run tried a benchmark on a node, in vain. One that was skipped was tried only if its program said that it cannot run
// there: that a node is in use or cordoned, or lacks what the benchmark needs, is no try.
func Tried(b *v1alpha1.BenchmarkResult) bool {
	switch b.Verdict {
	case v1alpha1.VerdictError, v1alpha1.VerdictInconclusive, v1alpha1.VerdictMissing:
		return true
	case v1alpha1.VerdictSkipped:
		return b.Reason == v1alpha1.ReasonCannotRunHere
	}
	return false
}

// recordUnproved notes a run that tried the benchmark and proved nothing by it, at the place of its time. A pass wipes out what came before it.
func recordUnproved(h *v1alpha1.BenchmarkHistory, b *v1alpha1.BenchmarkResult, j Judgement) {
	at := lastLaunchOf(b)
	if at.IsZero() {
		at = lastLaunch(j.Result)
	}
	known := v1alpha1.UnprovedRun{RunUID: j.Run.UID, Time: at, BootID: bootThen(b, j)}
	h.Unproved = slices.DeleteFunc(h.Unproved, func(u v1alpha1.UnprovedRun) bool {
		if u.RunUID == j.Run.UID && u.Time.Equal(&at) {
			known.BootID = u.BootID
		}
		return u.RunUID == j.Run.UID
	})
	if Tried(b) && !at.IsZero() {
		known.Verdict, known.Reason = b.Verdict, quantity.Clip(b.Reason, 64)
		h.Unproved = append(h.Unproved, known)
	}
	if pass := lastPass(h); pass != nil {
		h.Unproved = slices.DeleteFunc(h.Unproved, func(u v1alpha1.UnprovedRun) bool { return !later(u.Time, u.RunUID, pass.Time, pass.RunUID) })
	}
	slices.SortFunc(h.Unproved, func(a, b v1alpha1.UnprovedRun) int {
		if later(a.Time, a.RunUID, b.Time, b.RunUID) {
			return 1
		}
		return -1
	})
	h.Unproved = slices.Delete(h.Unproved, 0, max(0, len(h.Unproved)-maxUnproved))
	if len(h.Unproved) == 0 {
		h.Unproved = nil
	}
}

// bootThen is the boot of the node that the last attempt ran on; empty: unknown. Where there was no attempt, it is the present one.
func bootThen(b *v1alpha1.BenchmarkResult, j Judgement) string {
	if len(b.Attempts) == 0 {
		return FingerprintOf(j.Node, nil).BootID
	}
	if m := b.Attempts[len(b.Attempts)-1].Machine; m != nil {
		return m.BootID
	}
	return ""
}

func lastPass(h *v1alpha1.BenchmarkHistory) *v1alpha1.HistoryEntry {
	for i := len(h.History) - 1; i >= 0; i-- {
		if h.History[i].Verdict == v1alpha1.VerdictPass {
			return &h.History[i]
		}
	}
	return nil
}
