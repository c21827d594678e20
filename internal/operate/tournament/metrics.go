package tournament

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/blame"
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
		judged := m.Expectation != nil && m.Expectation.MaxFleetDeviation != ""
		if judged {
			o.MinEffect, _ = strconv.ParseFloat(string(m.Expectation.MaxFleetDeviation), 64)
		}
		out = append(out, pairMetric{m, o, judged})
	}
	slices.SortStableFunc(out, func(a, b pairMetric) int {
		rank := func(m pairMetric) int {
			switch {
			case m.judged:
				return 0
			case m.Headline:
				return 1
			}
			return 2
		}
		return cmp.Compare(rank(a), rank(b))
	})
	return out
}
