package nodes

import (
	"cmp"
	"math"

	"k8s.io/utils/ptr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

// newestValues are the headline values of the last measurement by each benchmark.
func newestValues(v *v1alpha1.NodeValidation) (all []fleetValue) {
	for b := range list.Each(v.Benchmarks) {
		if len(b.History) == 0 {
			continue
		}
		newest := &b.History[len(b.History)-1]
		for _, h := range newest.Values {
			if value, ok := quantity.ParseDecimal(h.Value); ok {
				all = append(all, fleetValue{valueOf{b.Name, newest.Configuration, h.Metric, h.Unit}, value})
			}
		}
	}
	return all
}

// judged says whether some rule may object to a metric; a minimum of 0 only asks for its presence.
func judged(m *v1alpha1.Metric) bool {
	if m.Expectation == nil {
		return false
	}
	e := *m.Expectation
	if least, ok := quantity.ParseDecimal(e.Min); ok && least <= 0 {
		e.Min = ""
	}
	return e != v1alpha1.Expectation{}
}

// convictedOf is what a conviction says, as a value.
func convictedOf(c *v1alpha1.Conviction) *worstValue {
	w := &worstValue{Benchmark: c.Benchmark, Metric: c.Metric, At: c.At, Unit: c.Unit,
		Value: quantity.Known(c.Value), Typical: quantity.Known(c.Typical), Bound: quantity.Known(c.Bound)}
	if reference := cmp.Or(w.Typical, w.Bound); w.Value != nil && reference != nil && *reference > 0 {
		w.fallsBehind(*reference, w.Bound != nil && *w.Value > *w.Bound)
	}
	return w
}

// fallsBehind notes by how many percent of a reference the value is worse; lower is better, or else higher.
func (w *worstValue) fallsBehind(reference float64, lower bool) {
	behind := 100 * (1 - *w.Value/reference)
	if lower {
		behind = -behind
	}
	w.BehindPercent = new(math.Round(10*behind) / 10)
}

// worse of two values: the one that is further behind.
func worse(a, b *worstValue) *worstValue {
	if a == nil || ptr.Deref(b.BehindPercent, 0) > ptr.Deref(a.BehindPercent, 0) {
		return b
	}
	return a
}
