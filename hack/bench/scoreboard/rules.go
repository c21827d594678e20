package main

import (
	"maps"
	"math"
	"slices"

	"github.com/assay-dev/assay/hack/bench/corpus"
	"github.com/assay-dev/assay/internal/stat"
)

// rule says which nodes of a case have failed.
type rule struct {
	name string
	// source of the threshold.
	source string
	judge  func(c *corpus.Case) corpus.Answer
	// at is the same rule with another threshold, for the curve of false alarms and recall; nil: it has none. Looser ones come first.
	at         func(threshold float64) func(c *corpus.Case) corpus.Answer
	thresholds []float64
}

// peers are the rules that others ship or document, as far as a value and its fleet are all that they look at.
func peers() []rule {
	shares := []float64{0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.96, 0.97, 0.98, 0.985, 0.99, 0.995, 0.999}
	share := func(name, source string, of func(c *corpus.Case, m corpus.Metric) func(corpus.Node) float64, threshold float64) rule {
		at := func(threshold float64) func(*corpus.Case) corpus.Answer {
			return below(func(c *corpus.Case, m corpus.Metric) func(corpus.Node) float64 {
				level := of(c, m)
				return func(n corpus.Node) float64 { return threshold * level(n) }
			})
		}
		return rule{name, source, at(threshold), at, shares}
	}
	mads := func(k float64) func(*corpus.Case) corpus.Answer {
		return below(func(c *corpus.Case, m corpus.Metric) func(corpus.Node) float64 {
			middle, mad := spreadOf(c, m)
			return always(middle - k*mad/0.6745)
		})
	}
	return []rule{
		share("0.69 of the data sheet", "share of peak, as acceptance sheets have it", dataSheet, 0.69),
		share("0.80 of the data sheet", "share of peak, as acceptance sheets have it", dataSheet, 0.80),
		share("0.75 of the healthy level", "DCGM: thresholds for each SKU", healthy, 0.75),
		share("0.90 of the healthy level", "baseline files with 10% tolerance", healthy, 0.90),
		share("0.95 of the healthy level", "SuperBench: rule variance, -5%", healthy, 0.95),
		share("0.90 of the node's best part", "gpu-fryer: 10% tolerance", bestOfNode, 0.90),
		share("0.95 of the fleet's median", "5% below the median", medianOfFleet, 0.95),
		share("0.95 of the fleet without outliers", "SuperBench: a baseline by iteration, -5%", withoutOutliers, 0.95),
		{"median - 3.5 MAD", "Iglewicz and Hoaglin 1993", mads(3.5), mads, []float64{20, 15, 10, 8, 6, 5, 4, 3.5, 3, 2.5, 2}},
		{"similarity of 0.95 to the fleet", "SuperBench (ATC 2024), as its abstract says; the distance is ours", similar(0.95), similar, shares},
	}
}

// below fails every part that is below a limit of its metric.
func below(limit func(c *corpus.Case, m corpus.Metric) func(corpus.Node) float64) func(*corpus.Case) corpus.Answer {
	return func(c *corpus.Case) corpus.Answer {
		a := corpus.Answer{ID: c.ID}
		for _, m := range c.Metrics {
			limitOf := limit(c, m)
			for _, n := range c.Nodes {
				least := limitOf(n)
				values := n.Attempts[0][m.Name]
				for _, at := range slices.Sorted(maps.Keys(values)) {
					if values[at] < least {
						a.Failed = append(a.Failed, corpus.Verdict{Node: n.Name, Metric: m.Name, Part: at})
					}
				}
			}
		}
		return a
	}
}

func always(v float64) func(corpus.Node) float64 { return func(corpus.Node) float64 { return v } }

func dataSheet(_ *corpus.Case, m corpus.Metric) func(corpus.Node) float64 { return always(m.DataSheet) }

func healthy(_ *corpus.Case, m corpus.Metric) func(corpus.Node) float64 { return always(m.Healthy) }

func bestOfNode(_ *corpus.Case, m corpus.Metric) func(corpus.Node) float64 {
	return func(n corpus.Node) float64 { return slices.Max(slices.Collect(maps.Values(n.Attempts[0][m.Name]))) }
}

func medianOfFleet(c *corpus.Case, m corpus.Metric) func(corpus.Node) float64 {
	return always(stat.Median(valuesOf(c, m)))
}

// withoutOutliers: the mean of those that are at most 5% below the mean, again and again until none is left out.
func withoutOutliers(c *corpus.Case, m corpus.Metric) func(corpus.Node) float64 {
	values := valuesOf(c, m)
	for {
		mean := stat.Mean(values)
		kept := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return v < 0.95*mean })
		if len(kept) == len(values) {
			return always(mean)
		}
		values = kept
	}
}

// similar compares a node's values with those of the whole fleet by the area between their cumulative distributions, on the side where the
// node is slower, as a share of the fleet's mean. It names no part.
func similar(threshold float64) func(*corpus.Case) corpus.Answer {
	return func(c *corpus.Case) corpus.Answer {
		a := corpus.Answer{ID: c.ID}
		for _, m := range c.Metrics {
			fleet := slices.Sorted(slices.Values(valuesOf(c, m)))
			for _, n := range c.Nodes {
				own := slices.Sorted(maps.Values(n.Attempts[0][m.Name]))
				if 1-slower(own, fleet)/stat.Mean(fleet) < threshold {
					a.Failed = append(a.Failed, corpus.Verdict{Node: n.Name, Metric: m.Name})
				}
			}
		}
		return a
	}
}

// slower is the area between two sorted samples' distributions where the first one is below the second, by a hundred quantiles.
func slower(own, fleet []float64) (area float64) {
	const steps = 100
	for k := range steps {
		q := (float64(k) + 0.5) / steps
		area += math.Max(0, at(fleet, q)-at(own, q)) / steps
	}
	return area
}

func at(sorted []float64, q float64) float64 { return sorted[int(q*float64(len(sorted)))] }

// valuesOf all parts of all nodes by one metric.
func valuesOf(c *corpus.Case, m corpus.Metric) (all []float64) {
	for _, n := range c.Nodes {
		values := n.Attempts[0][m.Name]
		for _, at := range slices.Sorted(maps.Keys(values)) {
			all = append(all, values[at])
		}
	}
	return all
}

// spreadOf the fleet's values: their median, and the median distance from it.
func spreadOf(c *corpus.Case, m corpus.Metric) (middle, mad float64) {
	values := valuesOf(c, m)
	middle = stat.Median(values)
	for i, v := range values {
		values[i] = math.Abs(v - middle)
	}
	return middle, stat.Median(values)
}
