package tournament

import (
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/blame"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

// rounds are the attempts of a pair, round by round.
func (g *Group) rounds() [][]v1alpha1.Attempt {
	return list.Groups(g.Attempts, func(a v1alpha1.Attempt) int32 { return a.Round })
}

// counted are the attempts of a pair that a tournament counts: those that were not disturbed. A round that was disturbed so many times was
// played all the same, and measured nothing: its last attempt stands for it.
func (g *Group) counted(most int) (counted []v1alpha1.Attempt) {
	for _, round := range g.rounds() {
		calm, disturbed := attempt.Apart(round)
		if len(calm) == 0 && len(disturbed) >= most {
			calm = disturbed[len(disturbed)-1:]
		}
		counted = append(counted, calm...)
	}
	return counted
}

// counted are the attempts of a pair that count. Nodes that a whole round of attempts found disturbed are not waited for again: in
// later rounds one attempt tells enough.
func (t *tournament) counted(g *Group) []v1alpha1.Attempt {
	for _, n := range g.Nodes {
		if t.byName[n.Name].disturbed {
			return g.counted(1)
		}
	}
	return g.counted(attempt.MostDisturbed)
}

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
