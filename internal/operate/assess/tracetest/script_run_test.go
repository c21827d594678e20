package tracetest

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// newRun reads "by rate of a b taint NoSchedule at-most 2 ...": of all nodes, by all benchmarks, where it does not say.
func (w *world) newRun(name, text string) *v1alpha1.ValidationRun {
	r := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: name}}
	r.Spec = v1alpha1.ValidationRunSpec{AllNodes: true, Confirmations: new(int32(2)), ActiveDeadlineSeconds: new(int64(14400)),
		BusyNodes: v1alpha1.BusyWait, MaxConcurrentNodes: new(intstr.FromString("100%"))}
	word := ""
	for _, w2 := range strings.Fields(text) {
		if slices.Contains(runWords, w2) {
			word = w2
			if w2 == "suspended" {
				r.Spec.Suspend = true
			}
			continue
		}
		w.runWord(r, word, w2)
	}
	if len(r.Spec.Benchmarks) == 0 {
		for _, b := range w.benchmarks {
			r.Spec.Benchmarks = append(r.Spec.Benchmarks, v1alpha1.BenchmarkRef{Name: b.Name})
		}
	}
	return r
}

var runWords = []string{"of", "by", "taint", "at-most", "at-once", "confirmations", "deadline", "busy", "suspended", "set", "expect", "expect-max", "where"}

func (w *world) runWord(r *v1alpha1.ValidationRun, word, value string) {
	last := func() *v1alpha1.BenchmarkRef { return &r.Spec.Benchmarks[len(r.Spec.Benchmarks)-1] }
	switch word {
	case "of":
		r.Spec.AllNodes = false
		r.Spec.NodeNames = append(r.Spec.NodeNames, value)
	case "where": // the nodes with a label
		key, v, _ := strings.Cut(value, "=")
		r.Spec.AllNodes, r.Spec.Selector = false, &metav1.LabelSelector{MatchLabels: map[string]string{key: v}}
	case "by":
		r.Spec.Benchmarks = append(r.Spec.Benchmarks, v1alpha1.BenchmarkRef{Name: value})
	case "taint": // an effect, or key:effect
		key, effect, found := strings.Cut(value, ":")
		if !found {
			key, effect = v1alpha1.DefaultTaintKey, value
		}
		r.Spec.OnFailure = &v1alpha1.OnFailure{MaxTaintedNodes: new(intstr.FromString("100%")),
			Taint: &v1alpha1.Taint{Key: key, Value: "failed", Effect: corev1.TaintEffect(effect)}}
	case "at-most":
		r.Spec.OnFailure.MaxTaintedNodes = new(intstr.Parse(value))
	case "at-once":
		r.Spec.MaxConcurrentNodes = new(intstr.Parse(value))
	case "confirmations":
		r.Spec.Confirmations = new(w.number(value))
	case "deadline":
		r.Spec.ActiveDeadlineSeconds = new(int64(w.number(value)))
	case "busy":
		r.Spec.BusyNodes = v1alpha1.BusyNodes(value)
	case "set": // a parameter of the last benchmark
		name, v, _ := strings.Cut(value, "=")
		last().Parameters = append(last().Parameters, v1alpha1.ParameterValue{Name: name, Value: v})
	case "expect": // a bound of the last benchmark
		last().Expectations = []v1alpha1.ExpectationOverride{{Metric: "speed", Expectation: v1alpha1.Expectation{Min: v1alpha1.Decimal(value)}}}
	case "expect-max":
		last().Expectations = []v1alpha1.ExpectationOverride{{Metric: "speed", Expectation: v1alpha1.Expectation{Max: v1alpha1.Decimal(value)}}}
	default:
		w.t.Fatal(fmt.Errorf("a run says nothing of %q", value))
	}
}
