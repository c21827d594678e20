package metrics

import (
	"cmp"
	"context"
	"math"
	"slices"
	"unique"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
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
		"The three worst nodes of each metric, compared with the median of at least four nodes with the same devices: 0.8 is a fifth worse, whichever way the metric is better.",
		[]string{"benchmark", "metric", "devices", "node"}, nil)
	// quantiles of every summary: the extremes, and where nearly all are.
	quantiles = []float64{0, 0.05, 0.5, 0.95, 1}
)

// reached is one kind of value over all nodes.
type reached struct {
	values []float64
	nodes  []string
}

// collectLevels adds distributions, whose number does not depend on how many nodes there are, and with PerNode every value.
func (s *State) collectLevels(ctx context.Context, cached []v1alpha1.NodeValidation, ch chan<- prometheus.Metric) {
	if s.Latest == nil {
		return
	}
	var benchmarks v1alpha1.BenchmarkList
	if err := s.Reader.List(ctx, &benchmarks, client.UnsafeDisableDeepCopyOption(true)); err != nil {
		ch <- prometheus.NewInvalidMetric(levelDesc, err)
		return
	}
	lower := lowerIsBetter(benchmarks.Items)
	all := map[unique.Handle[kind]]*reached{}
	for node, levels := range s.Latest.of(cached) {
		for _, l := range levels {
			r := all[l.kind]
			if r == nil {
				r = &reached{}
				all[l.kind] = r
			}
			r.values, r.nodes = append(r.values, l.value), append(r.nodes, node)
			if k := l.kind.Value(); s.PerNode {
				ch <- prometheus.MustNewConstMetric(valueDesc, prometheus.GaugeValue, l.value, node, k.benchmark, k.metric, k.unit)
			}
		}
	}
	for handle, r := range all {
		k := handle.Value()
		sorted := slices.Sorted(slices.Values(r.values))
		ch <- summary(levelDesc, sorted, k.benchmark, k.metric, k.unit, k.devices)
		for _, w := range r.worst(quantile(sorted, 0.5), lower[[2]string{k.benchmark, k.metric}]) {
			ch <- prometheus.MustNewConstMetric(worstDesc, prometheus.GaugeValue, w.ratio, k.benchmark, k.metric, k.devices, w.node)
		}
	}
}

// lowerIsBetter: the metrics of benchmarks of which less is better.
func lowerIsBetter(benchmarks []v1alpha1.Benchmark) map[[2]string]bool {
	lower := map[[2]string]bool{}
	for i := range benchmarks {
		for _, m := range benchmarks[i].Spec.Metrics {
			if m.Better == v1alpha1.Lower {
				lower[[2]string{benchmarks[i].Name, m.Name}] = true
			}
		}
	}
	return lower
}

// compared is how good a node is beside the median.
type compared struct {
	node  string
	ratio float64
}

// worst nodes, the worst first; none where too few are alike, or where a ratio means nothing.
func (r *reached) worst(median float64, lower bool) []compared {
	if len(r.values) < leastFleet || median <= 0 {
		return nil
	}
	worst := make([]compared, 0, worstNodes+1)
	for i, v := range r.values {
		c := compared{r.nodes[i], v / median}
		if lower {
			c.ratio = median / v
		}
		if v <= 0 && lower || len(worst) == worstNodes && order(c, worst[worstNodes-1]) > 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(worst, c, order)
		worst = slices.Insert(worst, at, c)
		worst = worst[:min(len(worst), worstNodes)]
	}
	return worst
}

func order(a, b compared) int {
	return cmp.Or(cmp.Compare(a.ratio, b.ratio), cmp.Compare(a.node, b.node))
}

// summary of values at this moment.
func summary(desc *prometheus.Desc, values []float64, labels ...string) prometheus.Metric {
	slices.Sort(values)
	sum, at := 0.0, make(map[float64]float64, len(quantiles))
	for _, v := range values {
		sum += v
	}
	for _, q := range quantiles {
		at[q] = quantile(values, q)
	}
	return prometheus.MustNewConstSummary(desc, uint64(len(values)), sum, at, labels...)
}

// quantile of sorted values, of which there is at least one: the smallest that so large a share of them does not exceed.
func quantile(sorted []float64, q float64) float64 {
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}
