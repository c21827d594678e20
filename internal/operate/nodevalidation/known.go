package nodevalidation

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
)

// Known is what is known of a node: its state, and what was measured on it. Nil for what is not there.
type Known struct {
	Validation *v1alpha1.NodeValidation
	History    *v1alpha1.NodeHistory
}

// copied for a judgement of a node. A node of another UID is another machine and starts afresh.
func (k Known) copied(node *corev1.Node) Known {
	next := Known{&v1alpha1.NodeValidation{}, &v1alpha1.NodeHistory{}}
	if v := k.Validation; v != nil {
		next.Validation = v.DeepCopy()
		if v.Fingerprint.NodeUID != node.UID {
			next.Validation = &v1alpha1.NodeValidation{TypeMeta: v.TypeMeta, ObjectMeta: *v.ObjectMeta.DeepCopy()}
		}
	}
	if h := k.History; h != nil {
		next.History = h.DeepCopy()
		if h.NodeUID != node.UID {
			next.History = &v1alpha1.NodeHistory{TypeMeta: h.TypeMeta, ObjectMeta: *h.ObjectMeta.DeepCopy()}
		}
	}
	next.Validation.Name, next.History.Name, next.History.NodeUID = node.Name, node.Name, node.UID
	next.noteLoss()
	return next
}

// noteLoss of the history that the state goes with: somebody has deleted it, or put another one in its place.
func (k Known) noteLoss() {
	v := k.Validation
	switch {
	case v.NodeHistory == nil:
		v.NodeHistory = &v1alpha1.HistoryReference{}
	case v.NodeHistory.UID != "" && v.NodeHistory.UID != k.History.UID:
		v.NodeHistory = &v1alpha1.HistoryReference{IncompleteUntil: latest(v.NodeHistory.IncompleteUntil, newestOf(v))}
	}
}

// Unstored is the state of a node whose history the API server did not take: what this run measured is missing in it.
func Unstored(v *v1alpha1.NodeValidation) *v1alpha1.NodeValidation {
	v = v.DeepCopy()
	v.NodeHistory = cmp.Or(v.NodeHistory, &v1alpha1.HistoryReference{})
	v.NodeHistory.IncompleteUntil = latest(v.NodeHistory.IncompleteUntil, newestOf(v))
	return v
}

// newestOf the measurements of a node.
func newestOf(v *v1alpha1.NodeValidation) (at metav1.Time) {
	at = v.MeasuredAt
	for _, b := range v.Benchmarks {
		if n := len(b.History); n > 0 {
			at = latest(at, b.History[n-1].Time)
		}
	}
	return at
}

// Forgotten says whether something that is not known any more may have refuted a conviction: its benchmark was measured later, and of that
// time the history is incomplete. So a lost history lets no earlier run call a node unfit.
func (k Known) Forgotten(c *v1alpha1.Conviction) bool {
	v := k.Validation
	if v == nil || v.NodeHistory == nil || v.NodeHistory.IncompleteUntil.IsZero() || v.NodeHistory.IncompleteUntil.Before(&c.MeasuredAt) {
		return false
	}
	return slices.ContainsFunc(v.Benchmarks, func(b v1alpha1.BenchmarkState) bool {
		n := len(b.History)
		return (b.Name == c.Benchmark || c.Rule == term.Devices) && n > 0 && later(b.History[n-1].Time, b.History[n-1].RunUID, c.MeasuredAt, c.Run.UID)
	})
}

// benchmark of a node by its name, new where it is not known.
func (k Known) benchmark(name string) (*v1alpha1.BenchmarkState, *v1alpha1.BenchmarkHistory) {
	v, h := k.Validation, k.History
	if v.Benchmark(name) == nil {
		v.Benchmarks = append(v.Benchmarks, v1alpha1.BenchmarkState{Name: name})
	}
	if h.Benchmark(name) == nil {
		h.Benchmarks = append(h.Benchmarks, v1alpha1.BenchmarkHistory{Name: name})
	}
	return v.Benchmark(name), h.Benchmark(name)
}

// tidyHistory drops rows that say nothing, and, of more than the API holds, those that the state has forgotten: what was measured longest ago
// first. Where somebody has deleted the state, the history of other benchmarks stays.
func (k Known) tidyHistory() {
	rows := dropped(k.History.Benchmarks, func(h v1alpha1.BenchmarkHistory) bool { return len(h.Entries)+len(h.Held)+len(h.Passes) == 0 })
	for len(rows) > maxBenchmarks {
		oldest := -1
		for i := range rows {
			if k.Validation.Benchmark(rows[i].Name) == nil && (oldest < 0 || newestIn(rows[i].Entries) < newestIn(rows[oldest].Entries)) {
				oldest = i
			}
		}
		rows = slices.Delete(rows, oldest, oldest+1) // there is one, as the state has no more than so many
	}
	k.History.Benchmarks = rows
}

// newestIn the entries of a benchmark, in seconds.
func newestIn(entries []v1alpha1.HistoryEntry) int64 {
	if n := len(entries); n > 0 {
		return entries[n-1].Time.Unix()
	}
	return 0
}
