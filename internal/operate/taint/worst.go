package taint

import (
	"math"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// Shortfall is by how much a node misses the bound that it misses most, as a share of the greater of value and bound. What is no matter of more or
// less, such as wrong data, comes first. Where not all that failed may be tainted, the worst are.
func (j *Judgement) Shortfall() float64 {
	most := 0.0
	for _, b := range j.Benchmarks {
		for _, f := range b.Findings {
			if f.Verdict == v1alpha1.VerdictFail {
				most = max(most, Shortfall(f.RuleNumbers))
			}
		}
	}
	return most
}

// Shortfall is by how much a value misses its bound, as a share of the greater of both; infinite where the rule judges no number.
func Shortfall(n v1alpha1.RuleNumbers) float64 {
	value, ok := quantity.ParseDecimal(n.Value)
	bound, also := quantity.ParseDecimal(n.Bound)
	size := max(math.Abs(value), math.Abs(bound))
	if !ok || !also || size == 0 {
		return math.Inf(1)
	}
	return math.Abs(value-bound) / size
}
