// Package expect reads what a Benchmark and a run expect of metrics.
package expect

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

// MaxDeviation of a metric; ok is false where its fleet is not judged.
func MaxDeviation(m *v1alpha1.Metric) (deviation float64, ok bool) {
	if m.Expectation == nil {
		return 0, false
	}
	return quantity.ParseDecimal(m.Expectation.MaxFleetDeviation)
}

// Effective are a benchmark's metrics with the expectations that a run overrides. The error is meant for the
// run's condition: it says which metric or number is wrong.
func Effective(b *v1alpha1.Benchmark, overrides []v1alpha1.ExpectationOverride) ([]v1alpha1.Metric, error) {
	metrics := list.Map(b.Spec.Metrics, func(m v1alpha1.Metric) v1alpha1.Metric { return *m.DeepCopy() })
	for o := range list.Each(overrides) {
		at := slices.IndexFunc(metrics, func(m v1alpha1.Metric) bool { return m.Name == o.Metric })
		if at < 0 {
			return nil, fmt.Errorf("benchmark %q has no metric %q: correct the run's expectations", b.Name, o.Metric)
		}
		if o.Expectation.MinEfficiency != "" && metrics[at].Scaling == "" {
			return nil, fmt.Errorf("metric %q of benchmark %q has no scaling, so minEfficiency cannot be set for it: use min or max", o.Metric, b.Name)
		}
		if e := &o.Expectation; metrics[at].Peak == "" && (e.MinFractionOfPeak != "" || e.MinFractionOfReached != "") {
			field := "minFractionOfPeak"
			if e.MinFractionOfPeak == "" {
				field = "minFractionOfReached"
			}
			return nil, fmt.Errorf("metric %q of benchmark %q names no peak, so %s cannot be set for it: use min or max", o.Metric, b.Name, field)
		}
		metrics[at].Expectation, metrics[at].DependsOn = o.Expectation.DeepCopy(), ""
	}
	for m := range list.Each(metrics) {
		why := unreadableIn("noise.", &m.Noise)
		if m.Expectation != nil {
			why = cmp.Or(unreadableIn("", m.Expectation), why)
		}
		if why != "" {
			return nil, fmt.Errorf("metric %q of benchmark %q: %s", m.Name, b.Name, why)
		}
	}
	return metrics, nil
}

// unreadableIn a struct of numbers says which of them is none, of all its fields, so that none that is added can be forgotten; "" where all are.
func unreadableIn(prefix string, numbers any) string {
	for field, value := range reflect.ValueOf(numbers).Elem().Fields() {
		if _, ok := quantity.ParseDecimal(value.String()); value.String() != "" && !ok {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			return NotANumber(prefix+name, value.String())
		}
	}
	return ""
}

// Expects says whether any rule is set for a metric.
func Expects(m *v1alpha1.Metric) bool {
	return m.Expectation != nil && *m.Expectation != v1alpha1.Expectation{}
}

// Compared with the fleet is what is judged or shown. What is only recorded would take as much memory again.
func Compared(m *v1alpha1.Metric) bool { return m.Headline || Expects(m) }

// NotANumber says that a field of a Benchmark cannot be read.
func NotANumber(field, text string) string {
	return fmt.Sprintf("%s is %q, which is not a number that can be compared with", field, text)
}
