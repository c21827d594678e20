package nodes

import (
	"math"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// newestValues are the headline values of the last measurement by each benchmark.
func newestValues(v *v1alpha1.NodeValidation) (all []fleetValue) {
	for i := range v.Benchmarks {
		b := &v.Benchmarks[i]
		if len(b.History) == 0 {
			continue
		}
		newest := &b.History[len(b.History)-1]
		for _, h := range newest.Values {
			if value, ok := quantity.ParseDecimal(h.Value); ok {
				all = append(all, fleetValue{b.Name, newest.Configuration, h.Metric, h.Unit, value})
			}
		}
	}
	return all
}

// convictedOf is what a conviction says, as a value.
func convictedOf(c *v1alpha1.Conviction) *worstValue {
	w := &worstValue{Benchmark: c.Benchmark, Metric: c.Metric, At: c.At, Unit: c.Unit}
	value, valued := quantity.ParseDecimal(c.Value)
	bound, bounded := quantity.ParseDecimal(c.Bound)
	w.Value = value
	if valued && bounded && bound > 0 {
		percent := tenths(100 * value / bound)
		w.PercentOfExpected, w.behind = &percent, math.Abs(100-percent)
	}
	return w
}

// worse of two values: the one that is further from where it should be.
func worse(a, b *worstValue) *worstValue {
	if a == nil || b.behind > a.behind {
		return b
	}
	return a
}

// tenths of a percent are as much as a glance takes in.
func tenths(percent float64) float64 { return math.Round(10*percent) / 10 }

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// compareTime puts the oldest first, and what never was before that.
func compareTime(a, b *time.Time) int {
	if a == nil || b == nil {
		return compareBool(a != nil, b != nil)
	}
	return a.Compare(*b)
}
