package verdict

import (
	"math"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// RuleDataCheck is the rule that data is right.
const RuleDataCheck = "DataCheck"

// RuleRegression compares a part with its own past.
const RuleRegression = "Regression"

// The other rules' names, as findings carry them.
const (
	ruleMissing        = "Missing"
	ruleMin            = "Min"
	ruleMax            = "Max"
	ruleFractionOfPeak = "FractionOfPeak"
	ruleReached        = "FractionOfReached"
	ruleFleetDeviation = "FleetDeviation"
	ruleNodeDeviation  = "NodeDeviation" // of all like parts of a node together
	ruleEfficiency     = "Efficiency"
)

// epsilon is the relative error below which two numbers are equal: limits are products of decimals in binary floating
// point, and a value equal to its limit passes.
const epsilon = 1e-9

// rule is one way to judge a value: it yields the bound that the value must hold, or says why it has none.
type rule struct {
	name  string
	judge func(*subject) ruling
	// compare says how a value that breaks the bound compares with it.
	compare func(s *subject, bound float64, scale quantity.Scale) string
}

// partRules judge every part.
var partRules = []rule{
	{ruleMin, minimum, belowMinimum},
	{ruleMax, maximum, aboveMaximum},
	{ruleFractionOfPeak, fractionOfPeak, shortOfPeak},
	{ruleReached, fractionOfReached, shortOfReached},
	{ruleFleetDeviation, fleetDeviation, offFleet},
	{RuleRegression, regression, offPast},
	{ruleEfficiency, efficiency, shortOfEfficiency},
}

// state says what a rule could do.
type state int

const (
	notAsked state = iota // the expectation does not ask for this rule
	noData                // too little data: why says what is missing
	waiting               // the other nodes are still to come
	bounded               // bound holds
)

// ruling is what a rule decides about a subject.
type ruling struct {
	state state
	// bound that the value must not be below (Higher), or not above (Lower). Equal to it passes.
	bound float64
	side  v1alpha1.Direction
	// center of what the value is compared with, where the bound was drawn from one.
	center   float64
	centered bool
	// limit of the expectation that the bound follows from.
	limit v1alpha1.Decimal
	// why there is too little data, as a sentence.
	why string
}

// subject is all that a rule may look at: one metric at one part of one node.
type subject struct {
	metric  *v1alpha1.Metric
	expect  *v1alpha1.Expectation
	at      string
	place   place
	devices []v1alpha1.Device
	attempt *v1alpha1.Attempt // that measured it
	value   float64
	// evidence that the value is: it decides how wide bounds are that follow from noise.
	evidence Evidence

	peak   reference
	noPeak string // why there is no peak

	peers    *peers // nil: the fleet is not complete
	hardware string

	past partPast

	curve *curve // of which it is the value at size; nil: it is no size
	size  int
}

func (s *subject) better() v1alpha1.Direction { return betterOf(s.metric) }

func betterOf(m *v1alpha1.Metric) v1alpha1.Direction {
	if m.Better == v1alpha1.Lower {
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

// isSmaller: it is a size of a curve that has greater ones. Fixed bounds and peaks are about the greatest: all together reach them, fewer need not.
func (s *subject) isSmaller() bool { return s.curve != nil && s.size < s.curve.greatest() }

func minimum(s *subject) ruling {
	bound, ok := quantity.ParseDecimal(s.expect.Min)
	if !ok {
		return s.unset(s.expect.Min, "min")
	}
	if s.isSmaller() {
		bound = min(bound, 0) // less than nothing is wrong at every size
	}
	return ruling{state: bounded, bound: bound, side: v1alpha1.Higher, limit: s.expect.Min}
}

func belowMinimum(_ *subject, bound float64, scale quantity.Scale) string {
	return message.Expected(v1alpha1.Higher, bound, scale)
}

func maximum(s *subject) ruling {
	bound, ok := quantity.ParseDecimal(s.expect.Max)
	if !ok {
		return s.unset(s.expect.Max, "max")
	}
	if s.isSmaller() {
		return ruling{state: notAsked}
	}
	return ruling{state: bounded, bound: bound, side: v1alpha1.Lower, limit: s.expect.Max}
}

func aboveMaximum(_ *subject, bound float64, scale quantity.Scale) string {
	return message.Expected(v1alpha1.Lower, bound, scale)
}

// fractionOfPeak: value >= fraction x peak; for a metric that is better lower, peak / value >= fraction.
func fractionOfPeak(s *subject) ruling {
	return s.fractionOf(s.peak.value, s.expect.MinFractionOfPeak, "minFractionOfPeak", "its peak")
}

// fractionOfReached is fractionOfPeak of what healthy hardware reaches.
func fractionOfReached(s *subject) ruling {
	ruled := s.fractionOf(s.peak.reached, s.expect.MinFractionOfReached, "minFractionOfReached", "what healthy hardware reaches")
	if ruled.state == bounded && s.peak.reached == 0 {
		return s.unjudged("what healthy hardware reaches", message.NothingReachedKnown(s.metric.Peak))
	}
	return ruled
}

func (s *subject) fractionOf(whole float64, limit v1alpha1.Fraction, field, against string) ruling {
	fraction, ok := quantity.ParseDecimal(limit)
	if !ok {
		return s.unset(v1alpha1.Decimal(limit), field)
	}
	if s.isSmaller() {
		return ruling{state: notAsked}
	}
	if s.noPeak != "" {
		return s.unjudged(against, s.noPeak)
	}
	bound := fraction * whole
	if s.better() == v1alpha1.Lower {
		if fraction == 0 {
			return ruling{state: notAsked}
		}
		bound = whole / fraction
	}
	return ruling{state: bounded, bound: bound, side: s.better(), limit: v1alpha1.Decimal(limit)}
}

func shortOfPeak(s *subject, _ float64, scale quantity.Scale) string {
	fraction, _ := quantity.ParseDecimal(s.expect.MinFractionOfPeak)
	percent, _ := s.percentOfPeak()
	return message.ShortOfPeak(percent, s.peak.value, 100*fraction, scale)
}

func shortOfReached(s *subject, _ float64, scale quantity.Scale) string {
	fraction, _ := quantity.ParseDecimal(s.expect.MinFractionOfReached)
	percent, _ := s.percentOf(s.peak.reached)
	return message.ShortOfReached(percent, s.peak.reached, 100*fraction, scale)
}

// unjudged is the ruling where there is too little data to compare with.
func (s *subject) unjudged(against, why string) ruling {
	return ruling{state: noData, why: message.NotJudged(s.metric.Name, s.place.kind, against, why)}
}

// unset is the ruling without a readable limit. An unreadable one is refused before a run starts (EffectiveMetrics); a
// rule still never guesses it.
func (s *subject) unset(limit v1alpha1.Decimal, field string) ruling {
	if limit == "" {
		return ruling{state: notAsked}
	}
	return s.unjudged(field, message.NotANumber(field, string(limit)))
}

// judgesNothing: what is measured is a rate, a time or an amount, none of which is below nothing. That a value meets such a bound proves as much as no
// bound at all.
func (r *ruling) judgesNothing() bool { return r.side == v1alpha1.Higher && r.bound <= 0 }

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
