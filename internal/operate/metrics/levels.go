package metrics

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

const (
	// worstNodes of each kind of value have a series of their own.
	worstNodes = 3
	// leastFleet is how many like nodes have a median that a node can be compared with.
	leastFleet = 4
)

var (
	levelDesc = prometheus.NewDesc("assay_benchmark_value",
		"Latest headline values over all nodes with the same devices, each node by its worst part, in the benchmark's unit.",
		[]string{"benchmark", "metric", "unit", "devices"}, nil)
	worstDesc = prometheus.NewDesc("assay_worst_node_ratio",
		"The three worst nodes of each metric, compared with the median of at least four nodes with the same devices that the same program measured with the same parameters: 0.8 is a fifth worse, whichever way the metric is better.",
		[]string{"benchmark", "metric", "devices", "node"}, nil)
	// quantiles of every summary: the extremes, and where nearly all are.
	quantiles = []float64{0, 0.05, 0.5, 0.95, 1}
)

// kind of value: only like ones are compared. Nodes of different devices are not alike, nor is what a benchmark measures with other parameters.
type kind struct {
	shown
	configuration string
}

// shown are the labels of a kind of value.
type shown struct{ benchmark, metric, unit, devices string }

// reached is what a node reached when it was last measured, by its worst part, or how good that is beside the median of its kind.
type reached struct {
	node  string
	value float64
}

// collectLevels adds distributions, whose number does not depend on how many nodes there are, and with PerNode every value. Labels do not tell apart
// what was measured with different parameters.
func (s *State) collectLevels(ctx context.Context, cached []v1alpha1.NodeValidation, ch chan<- prometheus.Metric) {
	var benchmarks v1alpha1.BenchmarkList
	if err := s.Reader.List(ctx, &benchmarks, client.UnsafeDisableDeepCopyOption(true)); err != nil {
		ch <- prometheus.NewInvalidMetric(levelDesc, err)
		return
	}
	all, worst := map[shown][]float64{}, map[shown][]reached{}
	for k, of := range byKind(cached) {
		for _, r := range of {
			all[k.shown] = append(all[k.shown], r.value)
			if s.PerNode {
				ch <- prometheus.MustNewConstMetric(valueDesc, prometheus.GaugeValue, r.value, r.node, k.benchmark, k.metric, k.unit)
			}
		}
		worst[k.shown] = append(worst[k.shown], worstOf(of, betterOf(benchmarks.Items, k.benchmark, k.metric))...)
	}
	for k, values := range all {
		ch <- summary(levelDesc, values, k.benchmark, k.metric, k.unit, k.devices)
		slices.SortFunc(worst[k], func(a, b reached) int { return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.node, b.node)) })
		for _, w := range worst[k][:min(len(worst[k]), worstNodes)] {
			ch <- prometheus.MustNewConstMetric(worstDesc, prometheus.GaugeValue, w.value, k.benchmark, k.metric, k.devices, w.node)
		}
	}
}

// byKind is what nodes reached when they were last measured.
func byKind(nodes []v1alpha1.NodeValidation) map[kind][]reached {
	all := map[kind][]reached{}
	for n := range list.Each(nodes) {
		for b := range list.Each(n.Benchmarks) {
			if len(b.History) == 0 {
				continue
			}
			last := &b.History[len(b.History)-1]
			devices := ptr.Deref(last.Machine, v1alpha1.Machine{}).Devices
			for _, h := range last.Values {
				if f, ok := quantity.ParseDecimal(h.Value); ok {
					k := kind{shown{b.Name, h.Metric, h.Unit, devices}, last.Configuration}
					all[k] = append(all[k], reached{n.Name, f})
				}
			}
		}
	}
	return all
}

// betterOf a metric: the direction in which it is better; empty: the Benchmark or its metric is gone.
func betterOf(benchmarks []v1alpha1.Benchmark, benchmark, metric string) v1alpha1.Direction {
	for b := range list.Each(benchmarks) {
		if m := list.First(b.Spec.Metrics, func(m *v1alpha1.Metric) bool { return m.Name == metric }); m != nil && b.Name == benchmark {
			return cmp.Or(m.Better, v1alpha1.Higher)
		}
	}
	return ""
}

// worstOf a kind: at least its three worst nodes, compared with the median. None where too few are alike, where a ratio means nothing, or where nobody
// knows which way is better.
func worstOf(all []reached, better v1alpha1.Direction) (worst []reached) {
	values := list.Map(all, func(r reached) float64 { return r.value })
	slices.Sort(values)
	median := values[quantile(len(values), 0.5)]
	if better == "" || len(values) < leastFleet || median <= 0 {
		return nil
	}
	for _, r := range all {
		switch {
		case better == v1alpha1.Lower && r.value > 0 && r.value >= values[len(values)-worstNodes]:
			worst = append(worst, reached{r.node, median / r.value})
		case better == v1alpha1.Higher && r.value <= values[worstNodes-1]:
			worst = append(worst, reached{r.node, r.value / median})
		}
	}
	return worst
}

// summary of values at this moment.
func summary(desc *prometheus.Desc, values []float64, labels ...string) prometheus.Metric {
	slices.Sort(values)
	sum, at := 0.0, make(map[float64]float64, len(quantiles))
	for _, v := range values {
		sum += v
	}
	for _, q := range quantiles {
		at[q] = values[quantile(len(values), q)]
	}
	return prometheus.MustNewConstSummary(desc, uint64(len(values)), sum, at, labels...)
}

// quantile is the index among so many sorted values, at least one, of the smallest that so large a share of them does not exceed.
func quantile(of int, q float64) int { return max(0, int(math.Ceil(q*float64(of)))-1) }
