package taint

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
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
func Shortfall(n v1alpha1.RuleNumbers) float64 { return term.Shortfall(n.Value, n.Bound) }
