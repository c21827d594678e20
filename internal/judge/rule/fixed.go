package rule

import (
	"fmt"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/quantity"
)

func minimum(s *subject) bounds.Bound {
	bound, ok := quantity.ParseDecimal(s.expect.Min)
	if !ok {
		return s.unset(s.expect.Min, "min")
	}
	if s.isSmaller() {
		bound = min(bound, 0) // less than nothing is wrong at every size
	}
	return bounds.Bound{State: bounds.Bounded, Edge: bound, Side: v1alpha1.Higher, Limit: s.expect.Min}
}

func beyondBound(_ *subject, bound float64, scale quantity.Scale) string {
	return boundIs(bound, scale)
}

func maximum(s *subject) bounds.Bound {
	bound, ok := quantity.ParseDecimal(s.expect.Max)
	if !ok {
		return s.unset(s.expect.Max, "max")
	}
	if s.isSmaller() {
		return bounds.Bound{State: bounds.NotAsked}
	}
	return bounds.Bound{State: bounds.Bounded, Edge: bound, Side: v1alpha1.Lower, Limit: s.expect.Max}
}

// fractionOfPeak: value >= fraction x peak; for a metric that is better lower, peak / value >= fraction.
func fractionOfPeak(s *subject) bounds.Bound {
	return s.fractionOf(s.peak.Value, s.expect.MinFractionOfPeak, "minFractionOfPeak", "its peak")
}

// fractionOfReached is fractionOfPeak of what healthy hardware reaches. A place that is worse by design in this fleet need reach no more than it does
// elsewhere: no node is to blame for what most have.
func fractionOfReached(s *subject) bounds.Bound {
	ruled := s.fractionOf(s.peak.Reached, s.expect.MinFractionOfReached, "minFractionOfReached", "what healthy hardware reaches")
	if ruled.State == bounds.Bounded && s.peak.Reached == 0 {
		return s.unjudged("what healthy hardware reaches", fmt.Sprintf("its HardwareProfile does not set `reached` for peak %s", s.metric.Peak))
	}
	ruled.Edge *= 1 - sign(s)*s.worseByDesign()
	return ruled
}

func (s *subject) worseByDesign() float64 {
	if s.peers == nil {
		return 0
	}
	return s.peers.WorseByDesign(s.at)
}

func (s *subject) fractionOf(whole float64, limit v1alpha1.Fraction, field, against string) bounds.Bound {
	fraction, ok := quantity.ParseDecimal(limit)
	if !ok {
		return s.unset(v1alpha1.Decimal(limit), field)
	}
	if s.isSmaller() {
		return bounds.Bound{State: bounds.NotAsked}
	}
	if s.noPeak != "" {
		return s.unjudged(against, s.noPeak)
	}
	return s.shareOf(whole, fraction, limit)
}

// shareOf a whole is the bound; of a metric that is better lower, the whole is that share of it.
func (s *subject) shareOf(whole, fraction float64, limit v1alpha1.Fraction) bounds.Bound {
	bound := fraction * whole
	if s.better() == v1alpha1.Lower {
		if fraction == 0 {
			return bounds.Bound{State: bounds.NotAsked}
		}
		bound = whole / fraction
	}
	return bounds.Bound{State: bounds.Bounded, Edge: bound, Side: s.better(), Limit: v1alpha1.Decimal(limit)}
}

func shortOfPeak(s *subject, bound float64, scale quantity.Scale) string {
	fraction, _ := quantity.ParseDecimal(s.expect.MinFractionOfPeak)
	percent, _ := s.percentOfPeak()
	return fmt.Sprintf("%s of peak %s, %s (%s)", quantity.PercentBeside(percent, 100*fraction), scale.Format(s.peak.Value), boundIs(bound, scale),
		quantity.PercentBeside(100*fraction, percent))
}

func shortOfReached(s *subject, bound float64, scale quantity.Scale) string {
	fraction, _ := quantity.ParseDecimal(s.expect.MinFractionOfReached)
	percent, _ := s.percentOf(s.peak.Reached)
	return fmt.Sprintf("%s of the %s that healthy hardware reaches, %s (%s)", quantity.PercentBeside(percent, 100*fraction), scale.Format(s.peak.Reached),
		boundIs(bound, scale), quantity.PercentBeside(100*fraction, percent)) + byDesign(s.worseByDesign())
}
