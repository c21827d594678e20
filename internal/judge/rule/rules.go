// Package rule judges one attempt: every part of every metric by every rule that is asked for. A rule without enough data says so, and
// finds nothing.
package rule

import (
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/term"
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
