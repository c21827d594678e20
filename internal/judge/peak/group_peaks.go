package peak

import (
	"strings"

	"github.com/assay-dev/assay/internal/quantity"
)

// Group are the peaks of several nodes together: arithmetic adds up over the nodes, a link is as fast as that of the
// slowest of them. A peak that one node lacks is not known for the group.
func Group(nodes []Peaks) Peaks {
	if len(nodes) == 0 || nodes[0].profiles == nil {
		return Peaks{}
	}
	out := Peaks{profiles: nodes[0].profiles, byPart: map[[2]string]limit{}}
	for key, first := range nodes[0].byPart {
		if peak, ok := groupPeak(nodes, key, first); ok {
			out.byPart[key] = peak
		}
	}
	return out
}

func groupPeak(nodes []Peaks, key [2]string, first limit) (limit, bool) {
	combine := together(first.Unit)
	value, reached, known := 0.0, 0.0, true
	for i, n := range nodes {
		peak, ok := n.byPart[key]
		factor, same := quantity.Factor(peak.Unit, first.Unit)
		v, isNumber := quantity.ParseDecimal(peak.Value)
		if !ok || !same || !isNumber {
			return limit{}, false
		}
		r, isNumber := quantity.ParseDecimal(peak.Reached)
		known = known && isNumber && r > 0
		if i == 0 {
			value, reached = v, r
			continue
		}
		value, reached = combine(value, v*factor), combine(reached, r*factor)
	}
	first.Value, first.Reached = quantity.Decimal(value, quantity.BoundDigits), ""
	if known {
		first.Reached = quantity.Decimal(reached, quantity.BoundDigits)
	}
	return first, true
}

// together combines the peaks of two nodes in a unit. Of two times the longer one is the slower.
func together(unit string) func(a, b float64) float64 {
	if strings.HasSuffix(unit, "FLOP/s") {
		return func(a, b float64) float64 { return a + b }
	}
	if quantity.IsTime(unit) {
		return func(a, b float64) float64 { return max(a, b) }
	}
	return func(a, b float64) float64 { return min(a, b) }
}
