package page

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

const (
	mostCurves = 8
	mostGraphs = 24
)

// graph shows how a metric changes with the size of something, or with time.
type graph struct {
	Title, Of, About string
	Ticks            []point
	XTicks           []point
	Curves           []curve
	Unit             string
}

// curve of one metric: Path is the line, Dots are its points at Sizes, Ideal is where it would be if it grew with the size, and Bound where it
// must be. Verdict says whether it is good, and Crosses are points that failed.
type curve struct {
	Class, Name, Path, Ideal, Bound, Ends, Sizes, Verdict string
	Failed                                                bool
	Dots                                                  markPath
	Crosses                                               []point
}

// sample of a metric at one size: the median of all nodes.
type sample struct {
	x      float64
	label  string
	value  float64
	failed bool // some node or group, by this size
}

// trend is a metric over sizes.
type trend struct {
	metric  string
	by      string
	unit    string
	samples []sample
	// efficiency at the greatest size; 0: not known. lower: a metric that is better so, which shrinks with the size if its scaling is Strong.
	efficiency float64
	lower      bool
	scaling    v1alpha1.Scaling
	// expected of the metric; nil: nothing is. asked: what the run expected is known.
	expected *v1alpha1.Expectation
	asked    bool
}

var momentPart = regexp.MustCompile(`@(\d{1,6})s$`)

// sizeOf a kind of parts; by is empty where it is no size.
func sizeOf(kind string) (x float64, label, by string) {
	if bytes, ok := quantity.BytesOf(kind); ok {
		return bytes, kind, "bytes"
	}
	if n, of, ok := quantity.SizeOf(kind); ok {
		return float64(n), strconv.Itoa(n), of
	}
	if f := momentPart.FindStringSubmatch(kind); f != nil {
		n, _ := strconv.ParseFloat(f[1], 64)
		return n, f[1] + " s", "time"
	}
	return 0, "", ""
}

// familyOf a metric: two ways to count the same bytes are not drawn into one graph.
func familyOf(metric string) string {
	for _, family := range []string{"BusBandwidth", "AlgorithmBandwidth"} {
		if strings.HasSuffix(metric, family) {
			return family
		}
	}
	return ""
}

// graphs of all metrics that were measured at two sizes at least; those of one benchmark and unit share one.
func (c *collection) graphs() []graph {
	type key struct{ benchmark, unit, by, family string }
	of := func(s *series) key {
		_, _, by := sizeOf(s.kind)
		return key{s.benchmark, s.unit, by, familyOf(s.metric)}
	}
	var all []graph
	for _, like := range list.Groups(c.all, of) {
		k := of(like[0])
		var drawn []*trend
		for _, sizes := range list.Groups(like, func(s *series) string { return s.metric }) {
			if k.by != "" && len(sizes) > 1 && len(drawn) < mostCurves {
				drawn = append(drawn, c.trend(sizes, k.by))
			}
		}
		if len(drawn) > 0 && len(all) < mostGraphs {
			all = append(all, newGraph(k.benchmark, drawn))
		}
	}
	return all
}

func newGraph(benchmark string, trends []*trend) graph {
	unit, by := trends[0].unit, trends[0].by
	var values []float64
	labels := map[float64]string{}
	for _, t := range trends {
		slices.SortFunc(t.samples, func(a, b sample) int { return cmp.Compare(a.x, b.x) })
		for _, p := range t.samples {
			values = append(values, p.value, t.ideal(p.x), t.bound(p.x))
			labels[p.x] = p.label
		}
	}
	sizes := slices.Sorted(maps.Keys(labels))
	slices.Sort(values)
	a := axis{values[0], values[len(values)-1]}.roomy()
	if most := values[len(values)-1]; by != "time" && values[0] >= 0 && most > 0 {
		a = axis{0, 1.08 * most}
	}
	steps, scale := a.ticks(unit)
	g := graph{Title: benchmark, Unit: scale.Unit(), Ticks: steps}
	across := func(x float64) float64 { return position(x, sizes, by) }
	g.XTicks = sizeTicks(sizes, labels, across)
	for i, t := range trends {
		g.Curves = append(g.Curves, t.curve(i, a, across, scale))
	}
	g.Of = message.With(cmp.Or(axes[by], "by number of "+by+"s"), ", in ", g.Unit)
	if !slices.ContainsFunc(trends, func(t *trend) bool { return !t.lower }) {
		g.Of += "; less is better"
	}
	g.About = fmt.Sprintf("%s: %s from %s to %s; their ends are listed below", benchmark, message.Several(len(trends), "curve"), g.XTicks[0].Text,
		g.XTicks[len(g.XTicks)-1].Text)
	return g
}

// sizeTicks names the first size, the last one, and those between that have room.
func sizeTicks(sizes []float64, labels map[float64]string, across func(float64) float64) []point {
	last := len(sizes) - 1
	all := []point{{X: share(across(sizes[0])), Text: labels[sizes[0]]}}
	at := across(sizes[0])
	for i, x := range sizes[1:] {
		if i+1 < last && (across(x)-at < 0.14 || across(sizes[last])-across(x) < 0.14) {
			continue
		}
		at = across(x)
		all = append(all, point{X: share(at), Text: labels[x]})
	}
	return all
}

// position of a size from 0 to 1: doublings are equally wide, and so are seconds.
func position(x float64, sizes []float64, by string) float64 {
	first, last := sizes[0], sizes[len(sizes)-1]
	if by != "time" {
		x, first, last = math.Log2(max(x, 1)), math.Log2(max(first, 1)), math.Log2(max(last, 1))
	}
	if last <= first {
		return 0.5
	}
	return 0.05 + 0.9*(x-first)/(last-first)
}

// ideal is what a metric would reach if it grew with the number of what measures it; without one, what it reached first.
func (t *trend) ideal(x float64) float64 {
	first := t.samples[0]
	v := first.value
	if t.by == "bytes" || t.by == "time" || t.unit == "1" || first.x <= 0 {
		return v
	}
	switch {
	case !t.lower || t.scaling == "":
		return v * x / first.x
	case t.scaling == v1alpha1.ScalingStrong:
		return v * first.x / x
	}
	return v
}

func (t *trend) curve(i int, a axis, across func(float64) float64, in quantity.Scale) curve {
	c := curve{Class: fmt.Sprint("c", i), Name: t.metric}
	var dots trail
	var sizes []string
	through := func(y func(p sample) float64) (path string) {
		for j, p := range t.samples {
			path += []string{"L", "M"}[1-min(j, 1)] + coordinate(chartWidth*across(p.x)) + " " + coordinate(a.y(y(p)))
		}
		return path
	}
	for _, p := range t.samples {
		dots.add(int(chartWidth*across(p.x)+0.5), int(a.y(p.value)+0.5), in.Number(p.value))
		sizes = append(sizes, p.label)
		if p.failed {
			c.Crosses = append(c.Crosses, point{X: share(across(p.x)), Y: coordinate(a.y(p.value)), Text: signOf(0, a, false)})
		}
	}
	first, last := t.samples[0], t.samples[len(t.samples)-1]
	scale := quantity.NewScale(t.unit, first.value, last.value)
	c.Path, c.Dots, c.Sizes = through(func(p sample) float64 { return p.value }), dots.path(), strings.Join(sizes, ",")
	c.Ends = fmt.Sprintf("%s: %s, %s: %s", first.label, scale.Format(first.value), last.label, scale.Format(last.value))
	if reached := 100 * t.share(); reached > 0 {
		c.Ends += ", efficiency " + quantity.Percent(reached)
	}
	if t.grows() {
		c.Ideal = through(func(p sample) float64 { return t.ideal(p.x) })
	}
	if t.least() > 0 {
		c.Bound = through(func(p sample) float64 { return t.bound(p.x) })
	}
	c.Verdict, c.Failed = t.verdict(), len(c.Crosses) > 0
	return c
}

// axes are what the horizontal ones of graphs say, where that is not the number of something.
var axes = map[string]string{"bytes": "by size of the message", "time": "over the time of the run, in seconds"}
