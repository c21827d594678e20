// Package rule judges one attempt: every part of every metric by every rule that is asked for. A rule without enough data says so, and
// finds nothing.
package rule

import (
	"fmt"

	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/past"
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
	return past.Reading(s.at, s.place.UUIDs(s.devices), s.metric.Name, s.value, scale, comparisons...)
}
