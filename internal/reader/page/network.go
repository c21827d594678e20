package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/stat"
)

const (
	// tableNodes is up to how many nodes a map of pairs is a table.
	tableNodes = 16
	// mostSlow pairs are listed below a map.
	mostSlow = 8
)

// scatter is a map of many nodes: a path for each shade, whose values the script shows, and rings around slow links.
type scatter struct {
	Size  int
	Paths []markPath
	Unit  string
	Rings []point
	First string
	Last  string
}

// network is what pairs of nodes measured of one metric.
type network struct {
	benchmark, metric, unit string
	lower                   bool
	values                  map[way][]float64
}

// nodeMaps are the maps of what groups of two of the nodes measured. Those of numbers that are all alike are only named.
func nodeMaps(results []*v1alpha1.ValidationResult, names []string, findings []v1alpha1.FabricFinding) (all []matrix, even []string) {
	index := make(map[string]int, len(names))
	for i, n := range names {
		index[n] = i
	}
	for _, n := range networks(results, index) {
		m, same := n.matrix(names, findings)
		if same != "" {
			even = append(even, same)
		} else {
			all = append(all, m)
		}
	}
	return all, even
}

func networks(results []*v1alpha1.ValidationResult, index map[string]int) []*network {
	var all []*network
	byKey := map[[2]string]*network{}
	for _, r := range results {
		if len(r.Group.Nodes) != 2 {
			continue
		}
		for b := range list.Each(r.Benchmarks) {
			for _, a := range counted(b) {
				for m := range export.Numbers(a.Measurements) {
					key := [2]string{b.Name, m.Name}
					if byKey[key] == nil {
						byKey[key] = &network{b.Name, m.Name, m.Unit, m.Better == v1alpha1.Lower, map[way][]float64{}}
						all = append(all, byKey[key])
					}
					byKey[key].add(m, index)
				}
			}
		}
	}
	return slices.DeleteFunc(all, func(n *network) bool { return len(n.values) == 0 })
}

func (n *network) add(m export.Reached, index map[string]int) {
	from, to, both := strings.Cut(m.At, "<->")
	if !both {
		from, to, _ = strings.Cut(m.At, "->")
	}
	one, known := index[from]
	other, also := index[to]
	if !known || !also || m.Unit != n.unit {
		return
	}
	for _, w := range waysOf(one, other, both) {
		n.values[w] = append(n.values[w], m.Value)
	}
}

// matrix of all pairs; even says what they are where they are all alike.
func (n *network) matrix(names []string, findings []v1alpha1.FabricFinding) (m matrix, even string) {
	var pairs []pair
	var values []float64
	for w, all := range n.values {
		mean := stat.Mean(all)
		values = append(values, mean)
		pairs = append(pairs, pair{w, mean, n.isSlow(findings, names[w.from], names[w.to])})
	}
	slices.SortFunc(pairs, func(p, q pair) int { return cmp.Or(cmp.Compare(p.from, q.from), cmp.Compare(p.to, q.to)) })
	h := withoutBound(values, n.lower)
	scale := quantity.NewScale(n.unit, h.typical)
	if h.even(pairs) {
		return m, fmt.Sprintf("%s of %s between nodes (%s)", n.metric, n.benchmark, scale.Format(h.typical))
	}
	if len(names) <= tableNodes {
		m = table(names, pairs, h, scale)
	} else {
		m.Steps, m.Large = h.steps(scale), large(names, pairs, h, scale)
	}
	m.Title, m.Of = n.metric, message.With(fmt.Sprintf("%s; pairs of %s", n.benchmark, message.Several(len(names), "node")), ", in ", scale.Unit())
	m.Slow = n.slowest(names, pairs, scale, stat.Median(values))
	m.About = aboutPairs(n.metric, pairs)
	return m, ""
}

// isSlow says whether a finding names the link.
func (n *network) isSlow(findings []v1alpha1.FabricFinding, one, other string) bool {
	return slices.ContainsFunc(findings, func(f v1alpha1.FabricFinding) bool {
		return f.Kind == "Link" && f.Benchmark == n.benchmark && (f.Metric == "" || f.Metric == n.metric) && slices.Contains(f.Members, one) && slices.Contains(f.Members, other)
	})
}

// slowest pairs, the worst first, if they are worse than the median by more than a tenth.
func (n *network) slowest(names []string, pairs []pair, scale quantity.Scale, median float64) []string {
	worse := func(v float64) float64 {
		if n.lower {
			return v / median
		}
		return median / v
	}
	worst := list.Where(pairs, func(p pair) bool { return worse(p.value) > 1.1 && !p.again() })
	slices.SortStableFunc(worst, func(p, q pair) int { return cmp.Compare(worse(q.value), worse(p.value)) })
	return list.Map(worst[:min(len(worst), mostSlow)], func(p pair) string { return p.name(names) + ": " + scale.Format(p.value) })
}

func large(names []string, pairs []pair, h heat, scale quantity.Scale) *scatter {
	trails := map[string]*trail{}
	s := &scatter{Size: 2 * len(names), First: names[0], Last: names[len(names)-1], Unit: scale.Unit()}
	for p := range list.Each(pairs) {
		class := cmp.Or(h.shade(p), "d0")
		if trails[class] == nil {
			trails[class] = &trail{markPath: markPath{Class: class}}
		}
		trails[class].add(2*p.to+1, 2*p.from+1, scale.Number(p.value))
		if p.slow {
			s.Rings = append(s.Rings, point{X: share((float64(p.to) + 0.5) / float64(len(names))), Y: share((float64(p.from) + 0.5) / float64(len(names)))})
		}
	}
	for _, class := range []string{"d0", "d1", "d2", "d3"} { // the worst lie on top
		if t := trails[class]; t != nil {
			s.Paths = append(s.Paths, t.path())
		}
	}
	return s
}
