package rule

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/quantity"
)

const (
	// maxCurves and maxPoints are the bounds of BenchmarkResult.curves.
	maxCurves = 32
	MaxPoints = 64
	// efficiencyDigits are more than two measurements tell apart.
	efficiencyDigits = 4
)

// curve is a metric over sizes of one kind, the smallest first.
type curve struct {
	metric *v1alpha1.Metric
	of     string
	points []curvePoint
}

type curvePoint struct {
	size  int
	at    string
	value float64
}

// ideal is what the metric would be at a size if it grew with the size from the smallest one on; ok is false where that leaves nothing to
// compare with.
func (c *curve) ideal(size int) (value float64, ok bool) {
	base := c.points[0]
	times := float64(size) / float64(base.size)
	switch value = base.value; {
	case bounds.Better(c.metric) == v1alpha1.Higher:
		value *= times
	case c.metric.Scaling != v1alpha1.ScalingWeak:
		value /= times
	}
	return value, value > 0
}

// efficiency at a point; ok is false where the smallest size leaves nothing to compare with.
func (c *curve) efficiency(p curvePoint) (share float64, ok bool) {
	ideal, ok := c.ideal(p.size)
	if !ok {
		return 0, false
	}
	if bounds.Better(c.metric) == v1alpha1.Lower {
		return bounds.Ratio(ideal, p.value)
	}
	return bounds.Ratio(p.value, ideal)
}

// stored is the curve as the API keeps it.
func (c *curve) stored() v1alpha1.Curve {
	out := v1alpha1.Curve{Metric: c.metric.Name, Of: c.of, Unit: c.metric.Unit, Scaling: c.metric.Scaling}
	for _, p := range c.points[:min(len(c.points), MaxPoints)] {
		point := v1alpha1.CurvePoint{Size: int32(p.size), Value: quantity.Decimal(p.value, quantity.ShownDigits)}
		if share, ok := c.efficiency(p); ok {
			point.Efficiency = quantity.Decimal(share, efficiencyDigits)
		}
		out.Points = append(out.Points, point)
	}
	return out
}
