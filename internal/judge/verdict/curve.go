package verdict

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

const (
	// maxCurves and maxPoints are the bounds of BenchmarkResult.curves.
	maxCurves = 32
	maxPoints = 64
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

// curvesOf a metric that scales: of its parts that are sizes, and of smaller sizes that were measured elsewhere. Each such part gets its place
// on its curve. A size that was measured here and elsewhere counts as it is here.
func curvesOf(m *v1alpha1.Metric, parts []subject, smaller []PartValue) []*curve {
	if m.Scaling == "" {
		return nil
	}
	var all []*curve
	add := func(at string, value float64) (*curve, int) {
		size, of, ok := quantity.SizeOf(at)
		if !ok || size < 1 {
			return nil, 0
		}
		i := slices.IndexFunc(all, func(c *curve) bool { return c.of == of })
		if i < 0 {
			i = len(all)
			all = append(all, &curve{metric: m, of: of})
		}
		if !slices.ContainsFunc(all[i].points, func(p curvePoint) bool { return p.size == size }) {
			all[i].points = append(all[i].points, curvePoint{size, at, value})
		}
		return all[i], size
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

// greatest size of the curve.
func (c *curve) greatest() int { return c.points[len(c.points)-1].size }

// ideal is what the metric would be at a size if it grew with the size from the smallest one on; ok is false where that leaves nothing to
// compare with.
func (c *curve) ideal(size int) (value float64, ok bool) {
	base := c.points[0]
	times := float64(size) / float64(base.size)
	switch value = base.value; {
	case betterOf(c.metric) == v1alpha1.Higher:
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
	if betterOf(c.metric) == v1alpha1.Lower {
		return ratio(ideal, p.value)
	}
	return ratio(p.value, ideal)
}

// stored is the curve as the API keeps it.
func (c *curve) stored() v1alpha1.Curve {
	out := v1alpha1.Curve{Metric: c.metric.Name, Of: c.of, Unit: c.metric.Unit, Scaling: c.metric.Scaling}
	for _, p := range c.points[:min(len(c.points), maxPoints)] {
		point := v1alpha1.CurvePoint{Size: int32(p.size), Value: quantity.Decimal(p.value, apiDigits)}
		if share, ok := c.efficiency(p); ok {
			point.Efficiency = quantity.Decimal(share, efficiencyDigits)
		}
		out.Points = append(out.Points, point)
	}
	return out
}

// keepCurves of a metric for the result. One that has to be efficient and reports no size, or only one of several GPUs, is not whole: it was not
// measured as it must be.
func (j *judgement) keepCurves(m *v1alpha1.Metric, curves []*curve, gpus int, whole bool) bool {
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
		why = message.NoSizes(m.Name)
	case len(curves) == 1 && len(curves[0].points) == 1 && curves[0].of == "gpu" && gpus > 1:
		why = message.OneSize(m.Name, curves[0].points[0].at, gpus)
	default:
		return whole
	}
	j.object(m.Name, "", ruleEfficiency, v1alpha1.VerdictMissing, why, 0)
	return false
}

// efficiency: value >= fraction x what the smallest size predicts. The smallest size itself is what others are compared with.
func efficiency(s *subject) ruling {
	const field, against = "minEfficiency", "its smallest size"
	fraction, ok := quantity.ParseDecimal(s.expect.MinEfficiency)
	switch {
	case !ok:
		return s.unset(v1alpha1.Decimal(s.expect.MinEfficiency), field)
	case s.curve == nil:
		return s.unjudged(against, message.NotASize())
	case s.size == s.curve.points[0].size:
		return ruling{state: notAsked}
	}
	ideal, ok := s.curve.ideal(s.size)
	if !ok {
		base := s.curve.points[0]
		return s.unjudged(against, message.NothingToGrow(base.at, base.value, quantity.NewScale(s.metric.Unit, base.value)))
	}
	bound := fraction * ideal
	if s.better() == v1alpha1.Lower {
		if fraction == 0 {
			return ruling{state: notAsked}
		}
		bound = ideal / fraction
	}
	return ruling{state: bounded, bound: bound, side: s.better(), limit: v1alpha1.Decimal(s.expect.MinEfficiency)}
}

func shortOfEfficiency(s *subject, _ float64, _ quantity.Scale) string {
	fraction, _ := quantity.ParseDecimal(s.expect.MinEfficiency)
	share, _ := s.curve.efficiency(curvePoint{size: s.size, value: s.value})
	base := s.curve.points[0]
	return message.ShortOfEfficiency(100*share, 100*fraction, base.at, base.value, quantity.NewScale(s.metric.Unit, base.value))
}

// MeanValues are the parts of a metric at the mean of all attempts that measured and verified them, and that nothing disturbed.
func MeanValues(attempts []v1alpha1.Attempt, m *v1alpha1.Metric) []PartValue {
	calm, _ := apart(attempts)
	var good []*v1alpha1.Attempt
	for i := range calm {
		if calm[i].Verdict == v1alpha1.VerdictPass && !wrongData(&calm[i]) {
			good = append(good, &calm[i])
		}
	}
	if len(good) == 0 {
		return nil
	}
	return Values(meanOf(good), m)
}

// SizeMetrics are the metrics as smaller sizes of a group are judged by them. A metric that scales must be there and be efficient. All other
// expectations are about the whole group: what a metric reaches at one size, it need not reach at another, whether or not its curve is asked for.
func SizeMetrics(metrics []v1alpha1.Metric) []v1alpha1.Metric {
	out := make([]v1alpha1.Metric, len(metrics))
	for i := range metrics {
		metrics[i].DeepCopyInto(&out[i])
		e := out[i].Expectation
		out[i].Expectation = nil
		if e != nil && out[i].Scaling != "" {
			out[i].Expectation = &v1alpha1.Expectation{MinEfficiency: e.MinEfficiency, Min: "0"}
		}
	}
	return out
}

// JudgesCurves says whether one of the metrics is asked to be efficient.
func JudgesCurves(metrics []v1alpha1.Metric) bool {
	return slices.ContainsFunc(metrics, func(m v1alpha1.Metric) bool { return m.Expectation != nil && m.Expectation.MinEfficiency != "" })
}

// JoinSize adds to the decision about a group what so many of its nodes showed. What could not be measured leaves a hole in the curve. Where
// the curve is judged, a hole means an error, and what falls short fails the curve.
func (d Decision) JoinSize(nodes int, size Decision, values map[string]bool, judged bool) Decision {
	if size.Verdict == v1alpha1.VerdictSkipped {
		size.Verdict = v1alpha1.VerdictError
	}
	d.Curves = slices.Clone(d.Curves)
	for i := range d.Curves {
		if c := &d.Curves[i]; c.Of == "node" && !values[c.Metric] && len(c.Points) < maxPoints {
			why := size.Message
			if size.Verdict == v1alpha1.VerdictPass {
				why = message.NoValue(c.Metric)
			}
			hole := v1alpha1.CurvePoint{Size: int32(nodes), Message: quantity.Clip(why, 256)}
			at, known := slices.BinarySearchFunc(c.Points, hole, func(a, b v1alpha1.CurvePoint) int { return cmp.Compare(a.Size, b.Size) })
			if !known { // the program itself may have measured fewer
				c.Points = slices.Insert(slices.Clone(c.Points), at, hole)
			}
		}
	}
	if !judged {
		return d // a hole says why; bounds are about the whole
	}
	d.Findings = slices.Clone(d.Findings)
	for _, f := range size.Findings {
		if f.Verdict != v1alpha1.VerdictSkipped {
			d.Findings = append(d.Findings, f)
		}
	}
	slices.SortStableFunc(d.Findings, func(a, b v1alpha1.Finding) int { return cmp.Compare(Severity(b.Verdict), Severity(a.Verdict)) })
	d.Findings = d.Findings[:min(len(d.Findings), maxFindings)]
	if Severity(size.Verdict) > Severity(d.Verdict) {
		d.Verdict, d.Reason = size.Verdict, size.Reason
		d.Message = quantity.Clip(message.AtSize(nodes, size.Message), message.Longest)
	}
	return d
}
