package nodevalidation

import (
	"cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/quantity"
)

// inOrder compares when two runs measured. The API server's clock has whole seconds; of two runs in the same one the order is arbitrary, but
// always the same.
func inOrder(at metav1.Time, run types.UID, than metav1.Time, other types.UID) int {
	if run == other {
		return 0
	}
	return cmp.Or(at.Compare(than.Time), cmp.Compare(run, other))
}

// later says whether what a run measured at a time comes after what another one measured. A run is never later than itself.
func later(at metav1.Time, run types.UID, than metav1.Time, other types.UID) bool {
	return inOrder(at, run, than, other) > 0
}

func latest(a, b metav1.Time) metav1.Time {
	if b.After(a.Time) {
		return b
	}
	return a
}

// MeasuredAt is when the last measured attempt of a benchmark was launched; zero where none was.
func MeasuredAt(b *v1alpha1.BenchmarkResult) metav1.Time {
	return launched(b, attempt.Measured)
}

// launched last of the attempts that count.
func launched(b *v1alpha1.BenchmarkResult, counts func(v1alpha1.Attempt) bool) (at metav1.Time) {
	for i := range b.Attempts {
		if a := &b.Attempts[i]; a.LaunchTime != nil && counts(*a) {
			at = latest(at, *a.LaunchTime)
		}
	}
	return at
}

// lastLaunch of any attempt, whatever came of it.
func lastLaunch(r *v1alpha1.ValidationResult) metav1.Time {
	at := metav1.Time{}
	for i := range r.Benchmarks {
		at = latest(at, lastLaunchOf(&r.Benchmarks[i]))
	}
	return at
}

func lastLaunchOf(b *v1alpha1.BenchmarkResult) metav1.Time {
	return launched(b, func(v1alpha1.Attempt) bool { return true })
}

// noteLatest keeps what the latest run found about a benchmark.
func noteLatest(nv *v1alpha1.NodeValidation, b *v1alpha1.BenchmarkResult) {
	if h := nv.Benchmark(b.Name); h != nil {
		h.Verdict, h.Message = b.Verdict, quantity.Clip(b.Message, maxBenchmarkMessage)
	}
}
