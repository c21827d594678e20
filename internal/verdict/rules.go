package verdict

import (
	"fmt"
	"math"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// The rules' names, as findings carry them.
const (
	ruleDataCheck      = "DataCheck"
	ruleMissing        = "Missing"
	ruleMin            = "Min"
	ruleMax            = "Max"
	ruleFractionOfPeak = "FractionOfPeak"
	ruleFleetDeviation = "FleetDeviation"
	ruleRegression     = "Regression"
)

// rule is one way to judge a value: it yields the bound that the value must hold, or says why it has none.
type rule struct {
	name  string
	judge func(*subject) ruling
	// words of a value that breaks the bound.
	words func(s *subject, bound float64, w *wording) string
}

// partRules judge every part; nodeRules judge the worst one, which is what a node's history keeps.
var (
	partRules = []rule{
		{ruleMin, minimum, minimumWords},
		{ruleMax, maximum, maximumWords},
		{ruleFractionOfPeak, fractionOfPeak, fractionOfPeakWords},
		{ruleFleetDeviation, fleetDeviation, fleetDeviationWords},
	}
	nodeRules = []rule{
		{ruleRegression, regression, regressionWords},
	}
)

// state says what a rule could do.
type state int

const (
	notAsked state = iota // the expectation does not ask for this rule
	noData                // not enough data: why says what is missing
	waiting               // the other nodes are still to come
	bounded               // bound holds
)

// ruling is what a rule says about a subject.
type ruling struct {
	state state
	// bound that the value must not be below (Higher), or not above (Lower). Equal to it passes.
	bound float64
	side  v1alpha1.Direction
	// limit of the expectation that the bound follows from.
	limit v1alpha1.Decimal
	// why there is not enough data.
	why string
}

// subject is all that a rule may look at: one metric at one part of one node.
type subject struct {
	metric  *v1alpha1.Metric
	expect  *v1alpha1.Expectation
	at      string
	place   place
	devices []v1alpha1.Device
	value   float64

	peak   reference
	noPeak string // why there is no peak

	fleet         stats
	fleetComplete bool
	hardware      string

	history stats // of earlier passing results; n = 0 where there are none
}

func (s *subject) better() v1alpha1.Direction {
	if s.metric.Better == v1alpha1.Lower {
		return v1alpha1.Lower
	}
	return v1alpha1.Higher
}

// within is the bound at a distance from a centre, on the worse side.
func (s *subject) within(center, distance float64) float64 {
	if s.better() == v1alpha1.Lower {
		return center + distance
	}
	return center - distance
}

func minimum(s *subject) ruling {
	bound, ok := number(s.expect.Min)
	if !ok {
		return unset(s.expect.Min, "min")
	}
	return ruling{state: bounded, bound: bound, side: v1alpha1.Higher, limit: s.expect.Min}
}

func minimumWords(_ *subject, bound float64, w *wording) string {
	return "expected at least " + w.number(bound)
}

func maximum(s *subject) ruling {
	bound, ok := number(s.expect.Max)
	if !ok {
		return unset(s.expect.Max, "max")
	}
	return ruling{state: bounded, bound: bound, side: v1alpha1.Lower, limit: s.expect.Max}
}

func maximumWords(_ *subject, bound float64, w *wording) string {
	return "expected at most " + w.number(bound)
}

// fractionOfPeak: value >= fraction x peak; for a metric that is better lower, peak / value >= fraction.
func fractionOfPeak(s *subject) ruling {
	fraction, ok := number(s.expect.MinFractionOfPeak)
	if !ok {
		return unset(s.expect.MinFractionOfPeak, "minFractionOfPeak")
	}
	if s.noPeak != "" {
		return ruling{state: noData, why: "not judged against peak: " + s.noPeak}
	}
	bound := fraction * s.peak.value
	if s.better() == v1alpha1.Lower {
		if fraction == 0 {
			return ruling{state: notAsked}
		}
		bound = s.peak.value / fraction
	}
	return ruling{state: bounded, bound: bound, side: s.better(), limit: v1alpha1.Decimal(s.expect.MinFractionOfPeak)}
}

func fractionOfPeakWords(s *subject, _ float64, w *wording) string {
	fraction, _ := number(s.expect.MinFractionOfPeak)
	return fmt.Sprintf("%s, expected at least %s", w.ofPeak(), w.percent(100*fraction))
}

// fleetDeviation: no worse than the median of like parts by more than the deviation allowed or the fleet's own noise,
// whichever is greater.
func fleetDeviation(s *subject) ruling {
	deviation, ok := number(s.expect.MaxFleetDeviation)
	if !ok {
		return unset(s.expect.MaxFleetDeviation, "maxFleetDeviation")
	}
	const unjudged = "not judged against the fleet: "
	switch {
	case !s.fleetComplete:
		return ruling{state: waiting}
	case s.fleet.n < minLikeParts:
		like := partName(s.place.kind)
		if s.hardware != "" {
			like += ", " + s.hardware
		}
		return ruling{state: noData, why: fmt.Sprintf("%slike parts (%s) in this run: %d, needed: at least %d",
			unjudged, like, s.fleet.n, minLikeParts)}
	case s.fleet.median == 0:
		return ruling{state: noData, why: unjudged + "its median is 0, from which no share can be taken; use min or max"}
	}
	floor, ok := number(s.metric.NoiseFloor)
	if !ok {
		floor = defaultNoiseFloor
	}
	bound := s.within(s.fleet.median, s.fleet.tolerance(deviation, floor))
	return ruling{state: bounded, bound: bound, side: s.better(), limit: v1alpha1.Decimal(s.expect.MaxFleetDeviation)}
}

func fleetDeviationWords(s *subject, bound float64, w *wording) string {
	return fmt.Sprintf("%s the median %s of %d like parts, expected %s %s",
		w.away(s.fleet.median), w.number(s.fleet.median), s.fleet.n, w.atLeast(), w.number(bound))
}

// regression: no worse than the median of the node's own last passing results by more than the fraction allowed.
func regression(s *subject) ruling {
	allowed, ok := number(s.expect.MaxRegression)
	if !ok {
		return unset(s.expect.MaxRegression, "maxRegression")
	}
	const unjudged = "not judged against history: "
	switch {
	case !s.metric.Headline:
		return ruling{state: noData, why: unjudged + "only headline metrics are kept; set headline: true on this metric"}
	case s.history.n < minHistory:
		return ruling{state: noData, why: fmt.Sprintf("%searlier passing results in this configuration: %d, needed: at least %d",
			unjudged, s.history.n, minHistory)}
	case s.history.median == 0:
		return ruling{state: noData, why: unjudged + "its median is 0, from which no share can be taken; use min or max"}
	}
	bound := s.within(s.history.median, allowed*math.Abs(s.history.median))
	return ruling{state: bounded, bound: bound, side: s.better(), limit: v1alpha1.Decimal(s.expect.MaxRegression)}
}

func regressionWords(s *subject, bound float64, w *wording) string {
	return fmt.Sprintf("%s the median %s of its own last %d passing results, expected %s %s",
		w.away(s.history.median), w.number(s.history.median), s.history.n, w.atLeast(), w.number(bound))
}

// unset is the ruling without a readable limit. An unreadable one is refused before a run starts (EffectiveMetrics); a
// rule still never guesses it.
func unset[T ~string](limit T, field string) ruling {
	if limit == "" {
		return ruling{state: notAsked}
	}
	return ruling{state: noData, why: fmt.Sprintf("%s %q is not a number", field, limit)}
}

// shortfall is by how much a value breaks the bound, relative to the greater of the two; 0 where it holds. The size of
// it orders findings: it needs no unit.
func (r *ruling) shortfall(value float64) float64 {
	diff := r.bound - value
	if r.side == v1alpha1.Lower {
		diff = -diff
	}
	size := max(math.Abs(r.bound), math.Abs(value))
	if size == 0 || diff/size <= epsilon {
		return 0
	}
	return diff / size
}
