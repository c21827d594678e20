// Package rule judges one attempt: every part of every metric by every rule that is asked for. A rule without enough data says so, and
// finds nothing.
package rule

import (
	"fmt"
	"math"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// rule is one way to judge a value: it yields the bound that the value must hold, or says why it has none.
type rule struct {
	name  string
	judge func(*subject) bounds.Bound
	// compare says how a value that breaks the bound compares with it.
	compare func(s *subject, bound float64, scale quantity.Scale) string
}

// partRules judge every part.
var partRules = []rule{
	{term.Min, minimum, beyondBound},
	{term.Max, maximum, beyondBound},
	{term.FractionOfPeak, fractionOfPeak, shortOfPeak},
	{term.FractionOfReached, fractionOfReached, shortOfReached},
	{term.FleetDeviation, fleetDeviation, offFleet},
	{term.Regression, regression, offPast},
	{term.Efficiency, efficiency, shortOfEfficiency},
}

// reading says what was measured, what the rule that objected compared it with (the zero rule: none did), and how the value compares
// otherwise: "gpu3 (GPU-4bce) hbmTriad 3.61 TB/s: 75% of peak 4.814 TB/s, bound 4.236 TB/s (88%); 17.6% below typical
// 4.38 TB/s".
func reading(s *subject, r rule, bound float64) string {
	scale := quantity.NewScale(s.metric.Unit, s.value, bound)
	var comparisons []string
	if r.compare != nil {
		comparisons = append(comparisons, r.compare(s, bound, scale))
	}
	if percent, ok := s.percentOfPeak(); ok && r.name != term.FractionOfPeak {
		comparisons = append(comparisons, fmt.Sprintf("%s of peak %s", quantity.Percent(percent), scale.Format(s.peak.Value)))
	}
	if d, with, ok := s.besides(); ok && r.name != term.FleetDeviation {
		comparisons = append(comparisons, beside(d, with.Center, with.With, scale))
	} else if !ok && s.peak.Reached > 0 {
		comparisons = append(comparisons, "healthy parts reach "+scale.Format(s.peak.Reached))
	}
	if text := s.context(); text != "" && r.name != "" {
		comparisons = append(comparisons, text)
	}
	return past.Reading(s.at, s.place.UUIDs(s.attempt.Devices), s.metric.Name, s.value, scale, comparisons...)
}

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
	text := fmt.Sprintf("%s of the %s that healthy hardware reaches, %s (%s)", quantity.PercentBeside(percent, 100*fraction), scale.Format(s.peak.Reached),
		boundIs(bound, scale), quantity.PercentBeside(100*fraction, percent))
	if worse := s.worseByDesign(); worse != 0 {
		text += fmt.Sprintf(", less the %s by which its place is worse than the others in most nodes", quantity.Percent(100*worse))
	}
	return text
}

// regression: no worse than the part was itself in earlier passing runs, by more than the fraction allowed or its noise.
func regression(s *subject) bounds.Bound {
	fraction, ok := quantity.ParseDecimal(s.expect.MaxRegression)
	if !ok {
		return s.unset(v1alpha1.Decimal(s.expect.MaxRegression), "maxRegression")
	}
	const against = "its history"
	if s.past.Passes < past.MinHistory {
		return s.unjudged(against, fmt.Sprintf("it has %s in this configuration, and a comparison needs %d",
			message.Several(s.past.Passes, "earlier passing result"), past.MinHistory))
	}
	l, bound := s.past.Strictest(s.metric, s.certainty, fraction)
	if l.Passes == 0 {
		return s.unjudged(against, medianIsZero)
	}
	return bounds.Bound{State: bounds.Bounded, Edge: bound, Center: l.Center, Centered: true, Side: s.better(), Limit: v1alpha1.Decimal(s.expect.MaxRegression)}
}

// excuse parts for what most nodes have lost, and for what is accepted of their hardware, which is told as long as it matters.
func (j *Sheet) excuse(parts []subject, accepted []v1alpha1.AcceptedLoss) {
	told := 0.0
	for s := range list.Each(parts) {
		shift := past.Shift{}
		if s.peers != nil {
			shift = s.peers.Shift
		}
		s.past = s.past.After(shift, s.metric, accepted)
		told = max(told, s.past.Excused())
	}
	if told > 0 {
		last := slices.MaxFunc(accepted, func(a, b v1alpha1.AcceptedLoss) int { return a.Since.Compare(b.Since.Time) })
		j.object(parts[0].metric.Name, "", term.Accepted, v1alpha1.VerdictWarning, fmt.Sprintf("%s may be %s worse than its own past: accepted since %s by a HardwareProfile (%s)",
			parts[0].metric.Name, quantity.Percent(100*told), message.Day(last.Since.Time), last.Reason))
	}
}

func offPast(s *subject, bound float64, scale quantity.Scale) string {
	fraction, _ := quantity.ParseDecimal(s.expect.MaxRegression)
	l, _ := s.past.Strictest(s.metric, s.certainty, fraction)
	off, _ := bounds.Deviation(s.value, l.Center)
	what, of := "median", fmt.Sprintf("last %d passes", l.Passes)
	if l == s.past.Baseline {
		what, of = "baseline", fmt.Sprintf("median of its first %d passes, since %s", l.Passes, message.Day(l.Since))
	}
	if l.Shift != 0 {
		why := " that most nodes have lost"
		if l.Accepted {
			why = " that is accepted"
		}
		of += ", less the " + quantity.Percent(100*math.Abs(l.Shift)) + why
	}
	return fmt.Sprintf("%s %s its own %s of %s (%s), %s", quantity.Percent(math.Abs(off)), message.Side(off), what, scale.Format(l.Center), of, boundIs(bound, scale))
}
