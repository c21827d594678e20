package page

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

// mostMaps of GPU pairs stand in front; those of every node are with the node.
const mostMaps = 8

// matrix is a heat map: a value for each pair. It is a table, so that it can be read out.
type matrix struct {
	Title, Of, About string
	Names            []string
	Rows             []matrixRow
	Steps            []shade // what the colours mean, the worst first
	Slow             []string
	// Large maps are drawn: too many names for a table.
	Large *scatter
}

type matrixRow struct {
	Name  string
	Cells []cell
}

// cell of a pair: Shade is a class, empty where nothing was measured.
type cell struct {
	Text, Shade string
	Slow        bool
}

// shade of a colour, or a line, and what it means.
type shade struct{ Class, Text string }

// heat turns values into shades by how far they are from typical, where 1 is as far as the bound.
type heat struct{ typical, bound float64 }

// withoutBound of a rule, typical is what the best quarter of the values reaches, and too far is a tenth below, or six times the spread of that
// quarter: what noise does has no shade, and what half of the links lost has one.
func withoutBound(values []float64, lower bool) heat {
	all, way := slices.Sorted(slices.Values(values)), -1.0
	if lower {
		slices.Reverse(all)
		way = 1
	}
	last := float64(len(all) - 1)
	typical, best := all[int(0.75*last)], all[int(0.95*last)]
	far := max(0.1*math.Abs(typical), 6*math.Abs(best-typical), 1e-12)
	return heat{typical, typical + way*far}
}

func (h heat) shade(p *pair) string {
	if far := tooFar(p.value, h.typical, h.bound); !p.slow || far >= 1 {
		return shadeOf(far)
	}
	return "d2"
}

// even says whether all pairs are within noise.
func (h heat) even(pairs []pair) bool {
	return !slices.ContainsFunc(pairs, func(p pair) bool { return h.shade(&p) != "" })
}

// steps are the values at which the shades begin.
func (h heat) steps(scale quantity.Scale) []shade {
	at := func(far float64) string { return scale.Format(h.typical + far*(h.bound-h.typical)) }
	all := []shade{{"", "typical " + at(0)}, {"d1", "near the bound: " + at(near)}, {"d2", "beyond the bound: " + at(1)}}
	if h.bound > h.typical || 2*h.bound > h.typical { // what is below 0 cannot be
		all = append(all, shade{"d3", "far beyond it: " + at(2)})
	}
	return all
}

// pair of things that were measured with each other, by their places in a list of names.
type pair struct {
	way
	value float64
	slow  bool
}

// way from one to another, or both at once: such a pair stands here a second time, the other way round.
type way struct {
	from, to int
	both     bool
}

func waysOf(from, to int, both bool) []way {
	if both {
		return []way{{from, to, both}, {to, from, both}}
	}
	return []way{{from, to, both}}
}

// again says whether the pair is listed already, the other way round.
func (p pair) again() bool { return p.both && p.from > p.to }

func (p pair) name(names []string) string {
	arrow := "->"
	if p.both {
		arrow = "<->"
	}
	return names[p.from] + arrow + names[p.to]
}

// table of pairs; both ways count for both directions.
func table(names []string, pairs []pair, h heat, scale quantity.Scale) matrix {
	m := matrix{Names: names, Steps: h.steps(scale)}
	for _, name := range names {
		m.Rows = append(m.Rows, matrixRow{name, make([]cell, len(names))})
	}
	for _, p := range pairs {
		m.Rows[p.from].Cells[p.to] = cell{scale.Number(p.value), cmp.Or(h.shade(&p), "d0"), p.slow}
	}
	return m
}

var gpuPair = regexp.MustCompile(`^gpu(\d{1,3})(<?->)gpu(\d{1,3})$`)

// gpuPairs of one series on the chosen nodes; several values of a pair become their median.
func (s *series) gpuPairs(chosen func(node int32) bool) (names []string, pairs []pair) {
	byPair, slow := map[way][]float64{}, map[way]bool{}
	most := 0
	for v := range list.Each(s.values) {
		found := gpuPair.FindStringSubmatch(s.parts[v.at])
		if found == nil || !chosen(v.node) {
			continue
		}
		from, _ := strconv.Atoi(found[1])
		to, _ := strconv.Atoi(found[3])
		for _, w := range waysOf(from, to, found[2] == "<->") {
			byPair[w] = append(byPair[w], v.value)
			slow[w] = slow[w] || v.failed()
		}
		most = max(most, from, to)
	}
	if most >= 64 {
		return nil, nil
	}
	for i := range most + 1 {
		names = append(names, fmt.Sprintf("gpu%d", i))
	}
	for w, values := range byPair {
		pairs = append(pairs, pair{w, stat.Median(values), slow[w]})
	}
	return names, pairs
}

// gpuMaps are, of each metric between GPUs that tables show or that a link broke, the median over the nodes and the nodes it broke on. Maps of
// numbers that are all alike are only named.
func (c *collection) gpuMaps() (all []matrix, even []string) {
	for _, s := range c.all {
		if s.kind != "gpu->gpu" && s.kind != "gpu<->gpu" {
			continue
		}
		broken := s.nodesOf((*value).failed)
		latency := quantity.IsTime(s.unit) && !slices.ContainsFunc(all, func(m matrix) bool { return m.Title == s.metric })
		if s.isHeadline() || len(broken) > 0 || latency && s.metric == "loadLatency" {
			maps, same := s.maps(c.nodes, broken)
			all, even = append(all, maps...), append(even, same...)
		}
	}
	slices.SortStableFunc(all, func(a, b matrix) int { return list.Before(len(a.Slow) > 0, len(b.Slow) > 0) })
	return all[:min(len(all), mostMaps)], even[:min(len(even), mostMaps)]
}

// maps share one scale of colours. Those of numbers that are all alike are only named.
func (s *series) maps(nodes []string, broken []int32) (all []matrix, even []string) {
	values := s.sortedValues()
	h := withoutBound(values, s.lower)
	if bound, typical := s.bound(), s.typical(values); bound != nil && (*bound > typical) == s.lower && *bound != typical {
		h = heat{typical, *bound}
	}
	scale := quantity.NewScale(s.unit, h.typical, h.bound)
	add := func(of string, chosen func(int32) bool) {
		names, pairs := s.gpuPairs(chosen)
		switch {
		case len(pairs) == 0:
			return
		case h.even(pairs):
			even = append(even, fmt.Sprintf("%s, %s (%s)", s.metric, of, scale.Format(h.typical)))
			return
		}
		m := table(names, pairs, h, scale)
		m.Title, m.Of = s.metric, message.With(of, ", in ", scale.Unit())
		for _, p := range pairs {
			if p.slow && !p.again() {
				m.Slow = append(m.Slow, p.name(names)+": "+scale.Format(p.value))
			}
		}
		slices.Sort(m.Slow)
		m.About = aboutPairs(s.metric, pairs)
		all = append(all, m)
	}
	for _, node := range broken[:min(len(broken), 3)] {
		add(nodes[node], func(n int32) bool { return n == node })
	}
	others := func(n int32) bool { return !slices.Contains(broken, n) }
	of := "median of " + message.Several(s.measuredNodes(others), "node")
	if len(nodes) == 1 {
		of = nodes[0]
	}
	if len(nodes) > 1 || len(broken) == 0 {
		add(of, others)
	}
	return all, even
}

// aboutPairs says what there is to see in a map of them: how many links are slow, in one direction or both.
func aboutPairs(metric string, pairs []pair) string {
	slow := map[[2]int]bool{}
	for _, p := range pairs {
		if p.slow {
			slow[[2]int{min(p.from, p.to), max(p.from, p.to)}] = true
		}
	}
	if len(slow) == 0 {
		return metric + " by pair; no link failed"
	}
	return fmt.Sprintf("%s by pair; %s failed", metric, message.Several(len(slow), "link"))
}
