package verdict

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// GroupPeaks are the peaks of several nodes together: arithmetic adds up over the nodes, a link is as fast as that of the
// slowest of them. A peak that one node lacks is not known for the group.
func GroupPeaks(nodes []Peaks) Peaks {
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
	first.Value, first.Reached = quantity.Decimal(value, boundDigits), ""
	if known {
		first.Reached = quantity.Decimal(reached, boundDigits)
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

// WithoutFleet leaves out the fleet rule: the tournament of pairs has compared the nodes already.
func WithoutFleet(metrics []v1alpha1.Metric) []v1alpha1.Metric {
	out := make([]v1alpha1.Metric, len(metrics))
	for i := range metrics {
		metrics[i].DeepCopyInto(&out[i])
		if e := out[i].Expectation; e != nil {
			e.MaxFleetDeviation = ""
		}
	}
	return out
}

// Blame adds what the tournament of pairs found about a node to the judgement of its figures: it fails for a finding,
// which was confirmed in the tournament itself.
func (d Decision) Blame(findings []v1alpha1.Finding) Decision {
	if len(findings) == 0 {
		return d
	}
	d.Findings = slices.Concat(findings, d.Findings)
	d.Findings = d.Findings[:min(len(d.Findings), maxFindings)]
	d.Terms.Broken = slices.Concat(BrokenBy(findings), d.Terms.Broken)
	if d.Verdict != v1alpha1.VerdictFail {
		d.Verdict, d.Reason, d.Message = v1alpha1.VerdictFail, v1alpha1.ReasonBelowExpectation, findings[0].Message
	}
	for _, f := range findings {
		for i := range d.Headline {
			if d.Headline[i].Metric == f.Metric {
				d.Headline[i].Verdict = v1alpha1.VerdictFail
			}
		}
	}
	return d
}

// PartValue is the value of one part in a metric's unit.
type PartValue struct {
	At    string
	Value float64
}

// Values are the parts of a metric that an attempt measured, in the metric's unit; none where the units do not agree.
func Values(a *v1alpha1.Attempt, m *v1alpha1.Metric) []PartValue {
	got := measurement(a, m.Name)
	if got == nil {
		return nil
	}
	factor, ok := quantity.Factor(got.Unit, m.Unit)
	if !ok {
		return nil
	}
	var out []PartValue
	for _, part := range got.Parts {
		if v, ok := quantity.ParseDecimal(part.Value); ok {
			out = append(out, PartValue{part.At, v * factor})
		}
	}
	return out
}

// WrongData: a data check of the attempt failed, or its program said so.
func WrongData(a *v1alpha1.Attempt) bool { return wrongData(a) || a.Verdict == v1alpha1.VerdictFail }
