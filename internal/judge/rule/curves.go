package rule

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
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

// curvesOf a metric that scales: of its parts that are sizes, and of smaller sizes that were measured elsewhere. Each such part gets its place
// on its curve. A size that was measured here and elsewhere counts as it is here.
func curvesOf(m *v1alpha1.Metric, parts []subject, smaller []attempt.PartValue) []*curve {
	if m.Scaling == "" {
		return nil
	}
	var all []*curve
	add := func(at string, value float64) (*curve, int) {
		size, of, ok := quantity.SizeOf(at)
		if !ok || size < 1 {
			return nil, 0
		}
		c := *list.Among(&all, func(c **curve) bool { return (*c).of == of }, &curve{metric: m, of: of})
		list.Among(&c.points, func(p *curvePoint) bool { return p.size == size }, curvePoint{size, at, value})
		return c, size
	}
	for i := range parts {
		parts[i].curve, parts[i].size = add(parts[i].at, parts[i].value)
	}
	for _, p := range smaller {
		add(p.At, p.Value)
	}
	for _, c := range all {
		slices.SortStableFunc(c.points, func(a, b curvePoint) int { return cmp.Compare(a.size, b.size) })
	}
	return all
}

// keepCurves of a metric for the result. One that has to be efficient and reports no size, or only one of several GPUs, is not whole: it was not
// measured as it must be.
func (j *Sheet) keepCurves(m *v1alpha1.Metric, curves []*curve, gpus int, whole bool) bool {
	for _, c := range curves {
		if len(j.curves) < maxCurves {
			j.curves = append(j.curves, c.stored())
		}
	}
	if m.Expectation == nil || m.Expectation.MinEfficiency == "" {
		return whole
	}
	why := ""
	switch {
	case len(curves) == 0:
		why = fmt.Sprintf("%s has no part that is a size (1gpu, 2gpu, 4ranks, 2nodes), so that its efficiency is not known: let the program "+
			"report it at each size", m.Name)
	case len(curves) == 1 && len(curves[0].points) == 1 && curves[0].of == "gpu" && gpus > 1:
		why = fmt.Sprintf("%s was measured at %s only, of %d GPUs: efficiency takes two sizes. Let the program measure fewer GPUs too, or leave "+
			"out minEfficiency", m.Name, curves[0].points[0].at, gpus)
	default:
		return whole
	}
	j.object(m.Name, "", term.Efficiency, v1alpha1.VerdictMissing, why)
	return false
}

// efficiency: value >= fraction x what the smallest size predicts. The smallest size itself is what others are compared with.
func efficiency(s *subject, fraction float64) bounds.Bound {
	const against = "its smallest size"
	switch {
	case s.curve == nil:
		return s.unjudged(against, "its name is no size")
	case s.size == s.curve.points[0].size:
		return bounds.Bound{State: bounds.NotAsked}
	}
	ideal, ok := s.curve.ideal(s.size)
	if !ok {
		base := s.curve.points[0]
		return s.unjudged(against,
			fmt.Sprintf("%s at %s leaves nothing to compare with", quantity.Format(base.value, s.metric.Unit), base.at))
	}
	return s.shareOf(ideal, fraction)
}

func shortOfEfficiency(s *subject, fraction, _ float64, _ quantity.Scale) string {
	share, _ := s.curve.efficiency(curvePoint{size: s.size, value: s.value})
	base := s.curve.points[0]
	return fmt.Sprintf("parallel efficiency %s against %s at %s, bound %s", quantity.PercentBeside(100*share, 100*fraction),
		quantity.Format(base.value, s.metric.Unit), base.at, quantity.PercentBeside(100*fraction, 100*share))
}
