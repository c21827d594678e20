package page

import (
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/expect"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/report"
	"github.com/assay-dev/assay/internal/stat"
)

// trend of a metric at its sizes, with what its nodes' curves say of it.
func (c *collection) trend(sizes []*series, by string) *trend {
	s := sizes[0]
	t := &trend{metric: s.metric, by: by, unit: s.unit, lower: s.lower, expected: c.expected[[2]string{s.benchmark, s.metric}], asked: c.expected != nil}
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
	t.efficiency = stat.Median(last)
	for _, s := range sizes {
		x, label, _ := sizeOf(s.kind)
		t.samples = append(t.samples, sample{x, label, stat.Median(numbersOf(s.values)), len(s.nodesOf((*value).failed)) > 0})
	}
	return t
}

// grows says whether the metric is one of which more is there with more to measure it.
func (t *trend) grows() bool {
	last := t.samples[len(t.samples)-1]
	return t.ideal(last.x) != t.samples[0].value
}

// share of what would be perfect, at the last size; 0: not known.
func (t *trend) share() float64 {
	last := t.samples[len(t.samples)-1]
	ideal, is := t.ideal(last.x), last.value
	if t.efficiency > 0 || !t.grows() || ideal <= 0 || is <= 0 {
		return t.efficiency
	}
	if t.lower {
		return ideal / is
	}
	return is / ideal
}

// least efficiency that is expected; 0: none is.
func (t *trend) least() float64 {
	if t.expected == nil || !t.grows() {
		return 0
	}
	least, _ := quantity.ParseDecimal(t.expected.MinEfficiency)
	return least
}

// bound at a size, by the least efficiency; without one, what is ideal.
func (t *trend) bound(x float64) float64 {
	switch least := t.least(); {
	case least <= 0 || x == t.samples[0].x:
		return t.ideal(x)
	case t.lower:
		return t.ideal(x) / least
	default:
		return t.ideal(x) * least
	}
}

// verdict says whether a curve is good, as far as anything is expected of it.
func (t *trend) verdict() string {
	bad := list.Map(list.Where(t.samples, func(p sample) bool { return p.failed }), func(p sample) string { return p.label })
	text, least, share := "", 100*t.least(), 100*t.share()
	if least > 0 {
		text = "at least " + quantity.Percent(least) + " expected: "
	}
	switch {
	case len(bad) > 0:
		return text + "✕ failed at " + strings.Join(bad, ", ")
	case least > 0 && share >= least:
		return text + "good"
	case least > 0:
		return text + "too low"
	case t.asked && t.expected == nil:
		return "not judged, as nothing is expected of it"
	}
	return "no size failed"
}

// expectedOf a run's metrics, by benchmark and metric; nil: what it was started with is not known.
func expectedOf(run *v1alpha1.ValidationRun, started *catalogue.Snapshot) map[[2]string]*v1alpha1.Expectation {
	if started == nil {
		return nil
	}
	all := map[[2]string]*v1alpha1.Expectation{}
	for _, b := range started.Objects() {
		metrics, err := expect.Effective(&b, run.Spec.Ref(b.Name).Expectations)
		if err != nil {
			continue // no run with it ever started
		}
		for m := range list.Each(metrics) {
			all[[2]string{b.Name, m.Name}] = m.Expectation
		}
	}
	return all
}

// groupGraphs are the curves of groups: a graph for each, as groups differ in their nodes.
func (c *collection) groupGraphs(groups []*v1alpha1.ValidationResult) []graph {
	var all []graph
	for _, g := range groups {
		for b := range list.Each(g.Benchmarks) {
			for curve := range list.Each(b.Curves) {
				if drawn, ok := c.groupGraph(b, curve); ok && len(all) < mostGraphs {
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
	slices.SortFunc(names, report.CompareNatural)
	return names
}

// groupGraph of one curve; ok is false where fewer than two of its sizes have a value.
func (c *collection) groupGraph(b *v1alpha1.BenchmarkResult, of *v1alpha1.Curve) (graph, bool) {
	t := &trend{metric: of.Metric, by: of.Of, unit: of.Unit, scaling: of.Scaling, lower: isLower(b, of.Metric), expected: c.expected[[2]string{b.Name, of.Metric}],
		asked: c.expected != nil}
	broken := brokenParts(b)
	var holes []string
	for _, p := range of.Points {
		label := strconv.Itoa(int(p.Size))
		v, ok := quantity.ParseDecimal(p.Value)
		if !ok {
			holes = append(holes, label)
			continue
		}
		t.samples = append(t.samples, sample{float64(p.Size), label, v, broken[[2]string{of.Metric, label + of.Of}] == failed})
		t.efficiency, _ = quantity.ParseDecimal(p.Efficiency)
	}
	if len(t.samples) < 2 {
		return graph{}, false
	}
	g := newGraph(b.Name, []*trend{t})
	if len(holes) > 0 {
		g.Curves[0].Ends += "; not measured: " + strings.Join(holes, ", ")
	}
	return g, true
}
