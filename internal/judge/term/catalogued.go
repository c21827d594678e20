package term

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

// AsCatalogued is a broken term as the Benchmark asks for it, where a run has set the expectation of the metric. It is not ok where the Benchmark
// asks for no such thing, or for less, which the node may well meet. Whatever breaks a limit breaks a harder one, too. Where the run's limit is
// the harder one, every attempt has to break the Benchmark's: one that met it would have cleared the part.
func (t Term) AsCatalogued(m *v1alpha1.Metric, attempts []v1alpha1.Attempt) (asked Term, ok bool) {
	limit := Limits(m.Expectation)[t.Rule]
	ours, isSet := quantity.ParseDecimal(limit)
	own, isKnown := quantity.ParseDecimal(t.Limit)
	if !isSet || !isKnown {
		return t, false
	}
	asked = t
	asked.Limit = limit
	r, isFixed := t.boundBy(ours, own)
	if isFixed {
		asked.Bound = quantity.Decimal(r.Edge, quantity.BoundDigits)
	}
	measured := list.Those(attempts, func(a *v1alpha1.Attempt) bool { return attempt.Measured(*a) })
	broken := func(at string) bool { // in all of them
		isBroken := func(p attempt.PartValue) bool { return p.At == at && r.Shortfall(p.Value) > 0 }
		return len(measured) > 0 && !slices.ContainsFunc(measured, func(a *v1alpha1.Attempt) bool { return !slices.ContainsFunc(attempt.Values(a, m), isBroken) })
	}
	switch {
	case asStrict(t.Rule, limit, t.Limit):
		return asked, true
	case isFixed && broken(t.At):
		asked.Ats = list.Where(t.Ats, broken) // others met what the Benchmark asks
		return asked, true
	}
	return t, false
}

// Limits of an expectation, by the rule that asks for each; empty: it does not.
func Limits(e *v1alpha1.Expectation) map[string]v1alpha1.Decimal {
	if e == nil {
		return nil
	}
	return map[string]v1alpha1.Decimal{Min: e.Min, Max: e.Max, FractionOfPeak: v1alpha1.Decimal(e.MinFractionOfPeak),
		FractionOfReached: v1alpha1.Decimal(e.MinFractionOfReached), FleetDeviation: v1alpha1.Decimal(e.MaxFleetDeviation),
		NodeDeviation: v1alpha1.Decimal(e.MaxFleetDeviation), Blame: v1alpha1.Decimal(e.MaxFleetDeviation),
		Regression: v1alpha1.Decimal(e.MaxRegression), Efficiency: v1alpha1.Decimal(e.MinEfficiency)}
}

// boundBy the Benchmark's limit, where the bound follows from the limit alone: it is the limit itself, or a share of a fixed peak.
func (t Term) boundBy(ours, own float64) (bounds.Bound, bool) {
	bound, ok1 := quantity.ParseDecimal(t.Bound)
	value, ok2 := quantity.ParseDecimal(t.Value)
	r := bounds.Bound{Side: v1alpha1.Higher}
	if value > bound {
		r.Side = v1alpha1.Lower
	}
	switch {
	case !ok1 || !ok2:
		return r, false
	case (t.Rule == Min || t.Rule == Max) && bound == own: // smaller sizes have a bound of their own
		r.Edge = ours
	case t.Rule != FractionOfPeak && t.Rule != FractionOfReached || ours <= 0 || own <= 0:
		return r, false
	case r.Side == v1alpha1.Higher:
		r.Edge = bound * ours / own
	default:
		r.Edge = bound * own / ours
	}
	return r, true
}
