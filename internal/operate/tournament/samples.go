package tournament

import (
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/blame"
	"github.com/assay-dev/assay/internal/quantity"
)

// measuredPairs is what the tournament measured of one metric. Wrong data proves nothing about speed. A pair that was disturbed is still
// to be measured in its round, unless it always is.
func (t *tournament) measuredPairs(m pairMetric) []blame.Measurement {
	var out []blame.Measurement
	for _, g := range t.pairs {
		for _, a := range t.counted(g) {
			p := blame.Measurement{Pair: blame.NewPair(g.Nodes[0].Name, g.Nodes[1].Name), Round: int(a.Round)}
			if a.Verdict == v1alpha1.VerdictPass && !attempt.WrongData(&a) {
				p.Samples = samples(&a, &m.Metric, p.Pair)
			}
			out = append(out, p)
		}
	}
	return out
}

// samples are the values of a metric, each way where the program names its parts "a->b"; otherwise the worst part. A part
// that reached nothing is as slow as can be; one that took no time was not measured, and so neither was the pair.
func samples(a *v1alpha1.Attempt, m *v1alpha1.Metric, p blame.Pair) []blame.Sample {
	var directed []blame.Sample
	worst, found := 0.0, false
	for _, v := range attempt.Values(a, m) {
		value := v.Value
		switch {
		case value > 0:
		case m.Better != v1alpha1.Lower:
			value = blame.Nothing
		case quantity.IsTime(m.Unit):
			return nil
		}
		from, to, ok := strings.Cut(v.At, "->")
		if ok && blame.NewPair(from, to) == p {
			directed = append(directed, blame.Sample{From: from, To: to, Value: value})
		}
		if !found || (m.Better == v1alpha1.Lower) == (value > worst) {
			worst, found = value, true
		}
	}
	switch {
	case len(directed) > 0:
		return directed
	case worst > 0:
		return []blame.Sample{{Value: worst}}
	}
	return nil // not measured, or a count of 0, which has no ratio to any other
}
