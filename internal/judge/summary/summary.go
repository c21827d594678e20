package summary

import (
	"math"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

// Summarise sums up the headline metrics of one benchmark over the nodes of a run, in the metrics' order. A metric that
// no node reported is left out.
func Summarise(metrics []v1alpha1.Metric, benchmark string, nodes [][]v1alpha1.HeadlineValue) []v1alpha1.BenchmarkSummary {
	var all []v1alpha1.BenchmarkSummary
	for m := range list.Each(metrics) {
		if !m.Headline {
			continue
		}
		if s, ok := summarise(m, benchmark, nodes); ok {
			all = append(all, s)
		}
	}
	return all
}

func summarise(m *v1alpha1.Metric, benchmark string, nodes [][]v1alpha1.HeadlineValue) (v1alpha1.BenchmarkSummary, bool) {
	var values []float64
	agreed := &peakRange{better: m.Better, high: math.Inf(1), valid: true}
	for _, node := range nodes {
		for h := range list.Each(node) {
			factor, convertible := quantity.Factor(h.Unit, m.Unit)
			v, ok := quantity.ParseDecimal(h.Value)
			if h.Benchmark != benchmark || h.Metric != m.Name || !ok || !convertible {
				continue
			}
			values = append(values, v*factor)
			agreed.add(v*factor, h.PercentOfPeak)
		}
	}
	if len(values) == 0 {
		return v1alpha1.BenchmarkSummary{}, false
	}
	slices.Sort(values)
	median := stat.SortedMedian(values)
	s := v1alpha1.BenchmarkSummary{
		Name: benchmark, Metric: m.Name, Unit: m.Unit, Nodes: int32(min(len(values), math.MaxInt32)),
		Median: quantity.Decimal(median, quantity.ShownDigits), Min: quantity.Decimal(values[0], quantity.ShownDigits), Max: quantity.Decimal(values[len(values)-1], quantity.ShownDigits),
		P5: quantity.Decimal(stat.Quantile(values, 0.05), quantity.ShownDigits), P95: quantity.Decimal(stat.Quantile(values, 0.95), quantity.ShownDigits),
	}
	if p, ok := agreed.percent(median); ok {
		s.PercentOfPeak = quantity.DecimalPercent(p)
	}
	return s, true
}

// peakRange is the range of peaks that the nodes' rounded percentages of peak leave possible. Nodes of one kind of
// hardware leave some; nodes whose profiles differ leave none, and then the fleet's median is a share of nothing.
type peakRange struct {
	better    v1alpha1.Direction
	low, high float64
	valid     bool
}

// add narrows the range by one node.
func (r *peakRange) add(value float64, percent v1alpha1.Decimal) {
	p, ok := quantity.ParseDecimal(percent)
	const half = 0.0501 // of the last digit that percentDecimal keeps
	if !ok || p <= half || value <= 0 {
		r.valid = false
		return
	}
	low, high := 100*value/(p+half), 100*value/(p-half)
	if r.better == v1alpha1.Lower {
		low, high = value*(p-half)/100, value*(p+half)/100
	}
	r.low, r.high = max(r.low, low), min(r.high, high)
	r.valid = r.valid && r.low <= r.high
}

// percent is the share of the agreed peak that a value is.
func (r *peakRange) percent(value float64) (float64, bool) {
	if !r.valid || math.IsInf(r.high, 1) {
		return 0, false
	}
	peak := r.low/2 + r.high/2
	if r.better == v1alpha1.Lower {
		return bounds.Ratio(100*peak, value)
	}
	return bounds.Ratio(100*value, peak)
}
