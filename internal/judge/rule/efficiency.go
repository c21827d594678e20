package rule

import (
	"fmt"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/quantity"
)

// efficiency: value >= fraction x what the smallest size predicts. The smallest size itself is what others are compared with.
func efficiency(s *subject) bounds.Bound {
	const field, against = "minEfficiency", "its smallest size"
	fraction, ok := quantity.ParseDecimal(s.expect.MinEfficiency)
	switch {
	case !ok:
		return s.unset(v1alpha1.Decimal(s.expect.MinEfficiency), field)
	case s.curve == nil:
		return s.unjudged(against, "its name is no size")
	case s.size == s.curve.points[0].size:
		return bounds.Bound{State: bounds.NotAsked}
	}
	ideal, ok := s.curve.ideal(s.size)
	if !ok {
		base := s.curve.points[0]
		return s.unjudged(against,
			fmt.Sprintf("%s at %s leaves nothing to compare with", quantity.NewScale(s.metric.Unit, base.value).Format(base.value), base.at))
	}
	return s.shareOf(ideal, fraction, s.expect.MinEfficiency)
}

func shortOfEfficiency(s *subject, _ float64, _ quantity.Scale) string {
	fraction, _ := quantity.ParseDecimal(s.expect.MinEfficiency)
	share, _ := s.curve.efficiency(curvePoint{size: s.size, value: s.value})
	base := s.curve.points[0]
	return missesEfficiency(100*share, 100*fraction, base.at, base.value, quantity.NewScale(s.metric.Unit, base.value))
}
