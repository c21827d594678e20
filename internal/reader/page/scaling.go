package page

import (
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

func (c *collection) addCurves(b *v1alpha1.BenchmarkResult) {
	for i := range b.Curves {
		key := [2]string{b.Name, b.Curves[i].Metric}
		c.scaled[key] = append(c.scaled[key], &b.Curves[i])
	}
}

// trend of a metric, with what its nodes' curves say of it.
func (c *collection) trend(s *series, by string) *trend {
	t := &trend{metric: s.metric, by: by, lower: s.lower}
	var last []float64
	for _, curve := range c.scaled[[2]string{s.benchmark, s.metric}] {
		if curve.Of != by || len(curve.Points) == 0 {
			continue
		}
		t.scaling = curve.Scaling
		if share, ok := quantity.ParseDecimal(curve.Points[len(curve.Points)-1].Efficiency); ok {
			last = append(last, share)
		}
	}
	t.efficiency, _ = known(last)
	return t
}

// groupGraphs are the curves of groups: a graph for each, as groups differ in their nodes.
func groupGraphs(groups []*v1alpha1.ValidationResult) []graph {
	var all []graph
	for _, g := range groups {
		for b := range list.Each(g.Benchmarks) {
			for j := range b.Curves {
				if drawn, ok := groupGraph(b, &b.Curves[j]); ok && len(all) < mostGraphs {
					drawn.Title += " (" + message.Nodes(namesOf(g)) + ")"
					all = append(all, drawn)
				}
			}
		}
	}
	return all
}

func namesOf(g *v1alpha1.ValidationResult) []string {
	names := list.Map(g.Group.Nodes, func(n v1alpha1.ObjectReference) string { return n.Name })
	slices.SortFunc(names, natural)
	return names
}

// groupGraph of one curve; ok is false where fewer than two of its sizes have a value.
func groupGraph(b *v1alpha1.BenchmarkResult, c *v1alpha1.Curve) (graph, bool) {
	t := &trend{metric: c.Metric, by: c.Of, scaling: c.Scaling, lower: isLower(b, c.Metric)}
	var holes []string
	for _, p := range c.Points {
		label := strconv.Itoa(int(p.Size))
		v, ok := quantity.ParseDecimal(p.Value)
		if !ok {
			holes = append(holes, label)
			continue
		}
		t.samples = append(t.samples, sample{float64(p.Size), label, []float64{v}})
		t.efficiency, _ = quantity.ParseDecimal(p.Efficiency)
	}
	if len(t.samples) < 2 {
		return graph{}, false
	}
	g := newGraph(b.Name, c.Unit, c.Of, []*trend{t})
	if len(holes) > 0 {
		g.Curves[0].Ends += "; not measured: " + strings.Join(holes, ", ")
	}
	return g, true
}
