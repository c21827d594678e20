package tournament

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/blame"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/expect"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

// pairMetric is one metric with what blame is laid by.
type pairMetric struct {
	v1alpha1.Metric
	options blame.Options
	// judged: a deviation from the fleet is expected not to happen; otherwise the metric is only reported.
	judged bool
}

// pairConfirmations are those that a tournament asks for: half as many, rounded up, as it measures each node in several pairs to begin with.
func (f *field) pairConfirmations() int32 { return (*f.Run.Spec.Confirmations + 1) / 2 }

// pairMetrics are the metrics that nodes are compared by; where none is, the headline alone decides who meets whom.
func (f *field) pairMetrics() []pairMetric {
	spec := f.Benchmark.Spec.Group
	base := blame.Options{Confirmations: int(f.pairConfirmations())}
	switch {
	case spec.Within != "":
		base.Pairs = blame.Within
	case spec.Across != "":
		base.Pairs = blame.Across
	}
	if spec.Rounds != nil {
		base.Rounds = int(*spec.Rounds)
	}
	var out []pairMetric
	for _, m := range f.Metrics {
		o := base
		o.LowerIsBetter, o.Unit = m.Better == v1alpha1.Lower, m.Unit
		o.NoiseFloor, _ = strconv.ParseFloat(string(m.Noise.Run), 64)
		o.Between, _ = strconv.ParseFloat(string(m.Noise.Node), 64)
		deviation, judged := expect.MaxDeviation(&m)
		if judged { // blame reckons with logarithms: none of nothing, and none of all
			o.MinEffect = min(max(deviation, 1e-4), 1-1e-4)
		}
		out = append(out, pairMetric{m, o, judged})
	}
	slices.SortStableFunc(out, func(a, b pairMetric) int {
		return cmp.Or(list.Before(a.judged, b.judged), list.Before(a.judged || a.Headline, b.judged || b.Headline))
	})
	return out
}

// apartFromFleet are the metrics as a node is judged by them that was compared with the fleet already: by its past apart from all else.
func apartFromFleet(metrics []v1alpha1.Metric) (others, past []v1alpha1.Metric) {
	others = slices.Clone(metrics)
	for m := range list.Each(others) {
		if m.Expectation == nil {
			continue
		}
		if p := *m; m.Expectation.MaxRegression != "" {
			p.Expectation = &v1alpha1.Expectation{MaxRegression: m.Expectation.MaxRegression}
			past = append(past, p)
		}
		e := *m.Expectation
		e.MaxFleetDeviation, e.MaxRegression = "", ""
		m.Expectation = &e
	}
	return others, past
}

// term is the comparison of a node with its fleet's level, as what a conviction by it remembers.
func (m pairMetric) term(value, level float64) term.Term {
	t := term.Term{Metric: m.Name, Rule: term.Blame, RuleNumbers: v1alpha1.RuleNumbers{Unit: m.Unit, Limit: v1alpha1.Decimal(m.Expectation.MaxFleetDeviation), Parts: 1, Value: decimal(value)}}
	bound := level * (1 - bounds.Sign(m.Better)*m.options.MinEffect)
	if m.beyond(value, decimal(bound)) { // else it was convicted by its pairs, and no bound says by what
		t.Bound = decimal(bound)
	}
	return t
}

// beyond says whether a value is on the bad side of a bound.
func (m pairMetric) beyond(value float64, bound v1alpha1.Decimal) bool {
	b, _ := quantity.ParseDecimal(bound)
	return value != b && (value > b) == (m.Better == v1alpha1.Lower)
}

// terms of a decision, with what the comparison with other nodes adds to them.
func (e *evidence) terms(t term.Terms) term.Terms {
	for _, c := range e.compared {
		i := slices.IndexFunc(t.Broken, func(b term.Term) bool { return b.Rule == term.Blame && b.Metric == c.Metric })
		if i < 0 {
			c.Bound = ""
			t.Held = append(t.Held, c)
			continue
		}
		c.At = t.Broken[i].At
		t.Broken[i] = c
	}
	return t
}
