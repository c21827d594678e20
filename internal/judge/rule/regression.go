package rule

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// regression: no worse than the part was itself in earlier passing runs, by more than the fraction allowed or its noise.
func regression(s *subject) bounds.Bound {
	fraction, ok := quantity.ParseDecimal(s.expect.MaxRegression)
	if !ok {
		return s.unset(v1alpha1.Decimal(s.expect.MaxRegression), "maxRegression")
	}
	const against = "its history"
	if s.past.Passes < past.MinHistory {
		return s.unjudged(against, message.TooFewPasses(s.past.Passes, past.MinHistory))
	}
	l, bound := s.past.Strictest(s.metric, s.certainty, fraction)
	if l.Passes == 0 {
		return s.unjudged(against, message.MedianIsZero())
	}
	return bounds.Bound{State: bounds.Bounded, Edge: bound, Center: l.Center, Centered: true, Side: s.better(), Limit: v1alpha1.Decimal(s.expect.MaxRegression)}
}

func offPast(s *subject, bound float64, scale quantity.Scale) string {
	fraction, _ := quantity.ParseDecimal(s.expect.MaxRegression)
	l, _ := s.past.Strictest(s.metric, s.certainty, fraction)
	off, _ := bounds.Deviation(s.value, l.Center)
	allowed, _ := bounds.Deviation(bound, l.Center)
	if l == s.past.Baseline {
		return message.OffBaseline(off, l.Center, l.Passes, l.Since, allowed, scale)
	}
	return message.OffRecentPasses(off, l.Center, l.Passes, allowed, scale)
}
