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

// level is one value of a node: what it reached when it was last measured, by its worst part.
type level struct {
	kind
	value float64
}

// kind of value: only like ones are compared. Nodes of different devices are not alike, nor is what a benchmark measures with other parameters.
type kind struct {
	shown
	configuration string
}

// shown are the labels of a kind of value.
type shown struct{ benchmark, metric, unit, devices string }

// levelsOf a node.
func levelsOf(v *v1alpha1.NodeValidation) (levels []level) {
	for b := range list.Each(v.Benchmarks) {
		if len(b.History) == 0 {
			continue
		}
		last := &b.History[len(b.History)-1]
		devices := ptr.Deref(last.Machine, v1alpha1.Machine{}).Devices
		for _, h := range last.Values {
			if f, ok := quantity.ParseDecimal(h.Value); ok {
				levels = append(levels, level{kind{shown{b.Name, h.Metric, h.Unit, devices}, last.Configuration}, f})
			}
		}
	}
	return levels
}

// reached is one kind of value over all nodes.
type reached struct {
	shown
	values []float64
	median float64
	better v1alpha1.Direction
}

// merged are the kinds of values that have the same labels.
type merged struct {
	values []float64
	worst  []compared
}

// collectLevels adds distributions, whose number does not depend on how many nodes there are, and with PerNode every value.
func (s *State) collectLevels(ctx context.Context, cached []v1alpha1.NodeValidation, ch chan<- prometheus.Metric) {
	var benchmarks v1alpha1.BenchmarkList
	if err := s.Reader.List(ctx, &benchmarks, client.UnsafeDisableDeepCopyOption(true)); err != nil {
		ch <- prometheus.NewInvalidMetric(levelDesc, err)
		return
	}
	levels := make(map[string][]level, len(cached))
	for i := range cached {
		levels[cached[i].Name] = levelsOf(&cached[i])
	}
	all := gather(levels, betterOf(benchmarks.Items))
	together := merge(all)
	for node, of := range levels {
		for _, l := range of {
			r := all[l.kind]
			if c, ok := r.compare(node, l.value); ok {
				together[r.shown].keep(c)
			}
			if s.PerNode {
				ch <- prometheus.MustNewConstMetric(valueDesc, prometheus.GaugeValue, l.value, node, r.benchmark, r.metric, r.unit)
			}
		}
	}
	for k, m := range together {
		ch <- summary(levelDesc, m.values, k.benchmark, k.metric, k.unit, k.devices)
		for _, w := range m.worst {
			ch <- prometheus.MustNewConstMetric(worstDesc, prometheus.GaugeValue, w.ratio, k.benchmark, k.metric, k.devices, w.node)
		}
	}
}

// merge what was measured with different parameters: labels do not tell it apart.
func merge(all map[kind]*reached) map[shown]*merged {
	together := make(map[shown]*merged, len(all))
	for _, r := range all {
		if together[r.shown] == nil {
			together[r.shown] = &merged{}
		}
		together[r.shown].values = append(together[r.shown].values, r.values...)
	}
	return together
}

// gather the values of all nodes by kind.
func gather(levels map[string][]level, better map[[2]string]v1alpha1.Direction) map[kind]*reached {
	all := map[kind]*reached{}
	for _, of := range levels {
		for _, l := range of {
			r := all[l.kind]
			if r == nil {
				r = &reached{shown: l.shown, better: better[[2]string{l.benchmark, l.metric}]}
				all[l.kind] = r
			}
			r.values = append(r.values, l.value)
		}
	}
	for _, r := range all {
		slices.Sort(r.values)
		r.median = quantile(r.values, 0.5)
	}
	return all
}

// betterOf every metric: the direction in which it is better.
func betterOf(benchmarks []v1alpha1.Benchmark) map[[2]string]v1alpha1.Direction {
	better := map[[2]string]v1alpha1.Direction{}
	for i := range benchmarks {
		for _, m := range benchmarks[i].Spec.Metrics {
			better[[2]string{benchmarks[i].Name, m.Name}] = cmp.Or(m.Better, v1alpha1.Higher)
		}
	}
	return better
}

// compared is how good a node is beside the median.
type compared struct {
	node  string
	ratio float64
}

// compare a node with the median. Not where too few are alike, where a ratio means nothing, or where nobody knows which way is better: the
// Benchmark or its metric is gone.
func (r *reached) compare(node string, value float64) (compared, bool) {
	lower := r.better == v1alpha1.Lower
	switch {
	case r.better == "" || len(r.values) < leastFleet || r.median <= 0 || lower && value <= 0:
		return compared{}, false
	case lower:
		return compared{node, r.median / value}, true
	}
	return compared{node, value / r.median}, true
}

// keep the worst, the worst first.
func (m *merged) keep(c compared) {
	if len(m.worst) == worstNodes && order(c, m.worst[worstNodes-1]) > 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(m.worst, c, order)
	m.worst = slices.Insert(m.worst, at, c)
	m.worst = m.worst[:min(len(m.worst), worstNodes)]
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
