// Package rule judges one attempt: every part of every metric by every rule that is asked for. A rule without enough data says so, and
// finds nothing.
package rule

import (
	"fmt"
	"math"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/expect"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// rule is one way to judge a value by a limit of its expectation, the field of that name.
type rule struct {
	name, field string
	// bound that a value must hold by the limit, or why there is none.
	bound func(s *subject, limit float64) bounds.Bound
	// compare says how a value that breaks the bound compares with it.
	compare func(s *subject, limit, bound float64, scale quantity.Scale) string
}

// partRules judge every part.
var partRules = []rule{
	{term.Min, "min", minimum, beyondBound},
	{term.Max, "max", maximum, beyondBound},
	{term.FractionOfPeak, "minFractionOfPeak", fractionOfPeak, shortOfPeak},
	{term.FractionOfReached, "minFractionOfReached", fractionOfReached, shortOfReached},
	{term.FleetDeviation, "maxFleetDeviation", fleetDeviation, offFleet},
	{term.Regression, "maxRegression", regression, offPast},
	{term.Efficiency, "minEfficiency", efficiency, shortOfEfficiency},
}

// judge a part. An unreadable limit is refused before a run starts (expect.Effective); a rule still never guesses it.
func (r rule) judge(s *subject) bounds.Bound {
	text := s.limits[r.name]
	if text == "" {
		return bounds.Bound{State: bounds.NotAsked}
	}
	limit, ok := quantity.ParseDecimal(text)
	if !ok {
		return s.unjudged(r.field, expect.NotANumber(r.field, string(text)))
	}
	b := r.bound(s, limit)
	b.Limit = text
	return b
}

// reading says what was measured, what the rule that objected compared it with (the zero rule: none did), and how the value compares
// otherwise: "gpu3 (GPU-4bce) hbmTriad 3.61 TB/s: 75% of peak 4.814 TB/s, bound 4.236 TB/s (88%); 17.6% below typical
// 4.38 TB/s".
func reading(s *subject, r rule, bound float64) string {
	scale := quantity.NewScale(s.metric.Unit, s.value, bound)
	var comparisons []string
	if r.compare != nil {
		limit, _ := quantity.ParseDecimal(s.limits[r.name])
		comparisons = append(comparisons, r.compare(s, limit, bound, scale))
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
	return message.Reading(s.called(), s.metric.Name, scale.Format(s.value), comparisons...)
}

func minimum(s *subject, limit float64) bounds.Bound {
	if s.isSmaller() {
		limit = min(limit, 0) // less than nothing is wrong at every size
	}
	return bounds.Bound{State: bounds.Bounded, Edge: limit, Side: v1alpha1.Higher}
}

func maximum(s *subject, limit float64) bounds.Bound {
	if s.isSmaller() {
		return bounds.Bound{State: bounds.NotAsked}
	}
	return bounds.Bound{State: bounds.Bounded, Edge: limit, Side: v1alpha1.Lower}
}

func beyondBound(_ *subject, _, bound float64, scale quantity.Scale) string {
	return boundIs(bound, scale)
}

// fractionOfPeak: value >= fraction x peak; for a metric that is better lower, peak / value >= fraction.
func fractionOfPeak(s *subject, fraction float64) bounds.Bound {
	return s.fractionOf(s.peak.Value, fraction, "its peak")
}

// fractionOfReached is fractionOfPeak of what healthy hardware reaches. A place that is worse by design in this fleet need reach no more than it does
// elsewhere: no node is to blame for what most have.
func fractionOfReached(s *subject, fraction float64) bounds.Bound {
	ruled := s.fractionOf(s.peak.Reached, fraction, "what healthy hardware reaches")
	if ruled.State == bounds.Bounded && s.peak.Reached == 0 {
		return s.unjudged("what healthy hardware reaches", fmt.Sprintf("its HardwareProfile does not set `reached` for peak %s", s.metric.Peak))
	}
	ruled.Edge *= 1 - s.sign()*s.worseByDesign()
	return ruled
}

func (s *subject) worseByDesign() float64 {
	if s.peers == nil {
		return 0
	}
	return s.peers.WorseByDesign(s.at)
}

func (s *subject) fractionOf(whole, fraction float64, against string) bounds.Bound {
	switch {
	case s.isSmaller():
		return bounds.Bound{State: bounds.NotAsked}
	case s.noPeak != "":
		return s.unjudged(against, s.noPeak)
	}
	return s.shareOf(whole, fraction)
}

// shareOf a whole is the bound; of a metric that is better lower, the whole is that share of it.
func (s *subject) shareOf(whole, fraction float64) bounds.Bound {
	bound := fraction * whole
	if s.better() == v1alpha1.Lower {
		if fraction == 0 {
			return bounds.Bound{State: bounds.NotAsked}
		}
		bound = whole / fraction
	}
	return bounds.Bound{State: bounds.Bounded, Edge: bound, Side: s.better()}
}

func shortOfPeak(s *subject, fraction, bound float64, scale quantity.Scale) string {
	return s.shortOf("%s of peak %s, %s (%s)", s.peak.Value, fraction, bound, scale)
}

func shortOfReached(s *subject, fraction, bound float64, scale quantity.Scale) string {
	text := s.shortOf("%s of the %s that healthy hardware reaches, %s (%s)", s.peak.Reached, fraction, bound, scale)
	if worse := s.worseByDesign(); worse != 0 {
		text += fmt.Sprintf(", less the %s by which its place is worse than the others in most nodes", quantity.Percent(100*worse))
	}
	return text
}

// shortOf a whole: the format takes the share of it, the whole, the bound, and its share.
func (s *subject) shortOf(format string, whole, fraction, bound float64, scale quantity.Scale) string {
	percent, _ := s.percentOf(whole)
	return fmt.Sprintf(format, quantity.PercentBeside(percent, 100*fraction), scale.Format(whole), boundIs(bound, scale),
		quantity.PercentBeside(100*fraction, percent))
}

// regression: no worse than the part was itself in earlier passing runs, by more than the fraction allowed or its noise.
func regression(s *subject, fraction float64) bounds.Bound {
	const against = "its history"
	if s.past.Passes < past.MinHistory {
		return s.unjudged(against, fmt.Sprintf("it has %s in this configuration, and a comparison needs %d",
			message.Several(s.past.Passes, "earlier passing result"), past.MinHistory))
	}
	l, bound := s.past.Strictest(s.metric, s.certainty, fraction)
	if l.Passes == 0 {
		return s.unjudged(against, medianIsZero)
	}
	return bounds.Bound{State: bounds.Bounded, Edge: bound, Center: l.Center, Centered: true, Side: s.better()}
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

func offPast(s *subject, fraction, bound float64, scale quantity.Scale) string {
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
