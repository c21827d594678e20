package campaign

import (
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// The terms that runs set for themselves.
const (
	// termsTooHard: healthy nodes do not meet them.
	termsTooHard = "with bounds that nothing meets"
	// termsHard: only slow nodes do not meet them, nor what the Benchmark asks.
	termsHard = "with harder bounds"
	// termsEasy: slow nodes meet them.
	termsEasy = "with bounds that all meet"
	// termsSmall: it measures something else, which is slower.
	termsSmall = "with a size of its own"
)

const sizeArgument = "--size="

// ownTerms of a run: for one benchmark of its suite, or for what it names.
func (w *world) ownTerms(r *v1alpha1.ValidationRun, how string) {
	if how == "" {
		return
	}
	name := w.c.Benchmarks[w.draw("terms/"+r.Name)%uint64(len(w.c.Benchmarks))]
	if len(r.Spec.Benchmarks) > 0 {
		name = r.Spec.Benchmarks[0].Name
	}
	metric, fit := "speed", 100.0
	if name == "net" {
		metric, fit = "bandwidth", 10
	}
	ref := v1alpha1.BenchmarkRef{Name: name}
	share := map[string]float64{termsTooHard: 1.5, termsHard: 0.95, termsEasy: 0.1}[how]
	if how == termsSmall {
		ref.Parameters = []v1alpha1.ParameterValue{{Name: "size", Value: "1"}}
	} else {
		ref.Expectations = []v1alpha1.ExpectationOverride{{Metric: metric, Expectation: v1alpha1.Expectation{Min: decimal(fit * share)}}}
	}
	if len(r.Spec.Benchmarks) > 0 {
		r.Spec.Benchmarks[0] = ref
	} else {
		r.Spec.Overrides = []v1alpha1.BenchmarkRef{ref}
	}
	if r.Spec.OnFailure != nil {
		w.truth.tainting[r.Name] = true
	}
}

// isSmall: the program measures something else than the Benchmark does.
func isSmall(pod *corev1.Pod) bool {
	for i := range pod.Spec.Containers {
		if slices.ContainsFunc(append(pod.Spec.Containers[i].Command, pod.Spec.Containers[i].Args...), func(a string) bool { return a == sizeArgument+"1" }) {
			return true
		}
	}
	return false
}

// checkConvicted: nobody is convicted who was never unfit (P6), whether a taint follows or not. By its own terms a run convicts together with its taint only.
func (t *truth) checkConvicted(n *nodeTruth, before, after *v1alpha1.NodeValidation) {
	for _, c := range after.Convictions {
		if before != nil && slices.ContainsFunc(before.Convictions, func(o v1alpha1.Conviction) bool { return o.Run == c.Run && o.Benchmark == c.Benchmark }) {
			continue
		}
		if !c.AsCatalogued && t.tainting[c.Run.Name] && after.Quarantine != nil {
			n.byOwnTerms = true
			continue
		}
		if !t.mayFail(n) {
			t.w.broken("P6", "node %s is convicted by %s of run %s, and it was never unfit", after.Name, c.Benchmark, c.Run.Name)
		}
	}
}

// mayFail: the machine was unfit once, or nothing tells it from one that was.
func (t *truth) mayFail(n *nodeTruth) bool {
	disturbed := n.disturbed > 1 || n.disturbed == 1 && t.unconfirmed() // who is disturbed again when looked at again cannot be told from who is slow
	return n.everUnfit || n.lies || disturbed || t.mostAreSlow()
}

// checkCalled: no node is called failed that nothing convicts (P6).
func (t *truth) checkCalled(n *nodeTruth, before, after *corev1.Node) {
	called := after.Labels[v1alpha1.LabelVerdict]
	if called == "failed" && before.Labels[v1alpha1.LabelVerdict] != called && !n.byOwnTerms && !t.mayFail(n) {
		t.w.broken("P6", "node %s is called failed, and it was never unfit", after.Name)
	}
}

func decimal(v float64) v1alpha1.Decimal {
	return v1alpha1.Decimal(strconv.FormatFloat(v, 'f', -1, 64))
}
