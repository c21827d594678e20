package page

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

const (
	mostCurves = 8
	mostGraphs = 24
)

// graph shows how a metric changes with the size of something, or with time.
type graph struct {
	Title, Of, About string
	Ticks            []tick
	XTicks           []point
	Curves           []curve
	Unit             string
}

// curve of one metric: Path is the line, Dots are its points at Sizes, Ideal is where it would be if it grew with the size.
type curve struct {
	Class, Name, Path, Ideal, Ends, Sizes string
	Dots                                  markPath
}

// sample of a metric at one size.
type sample struct {
	x      float64
	label  string
	values []float64
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
	var order []key
	trends := map[key][]*trend{}
	for _, s := range c.all {
		x, label, by := sizeOf(s.kind)
		if by == "" || len(s.values) == 0 {
			continue
		}
		k := key{s.benchmark, s.unit, by, familyOf(s.metric)}
		if trends[k] == nil {
			order = append(order, k)
		}
		i := slices.IndexFunc(trends[k], func(t *trend) bool { return t.metric == s.metric })
		if i < 0 {
			i = len(trends[k])
			trends[k] = append(trends[k], c.trend(s, by))
		}
		t := trends[k][i]
		t.samples = append(t.samples, sample{x, label, s.sortedValues()})
	}
	var all []graph
	for _, k := range order {
		drawn := slices.DeleteFunc(trends[k], func(t *trend) bool { return len(t.samples) < 2 })
		if len(drawn) > 0 && len(all) < mostGraphs {
			all = append(all, newGraph(k.benchmark, k.unit, k.by, drawn[:min(len(drawn), mostCurves)]))
		}
	}
	return all
}

func newGraph(benchmark, unit, by string, trends []*trend) graph {
	var values, sizes []float64
	labels := map[float64]string{}
	for _, t := range trends {
		slices.SortFunc(t.samples, func(a, b sample) int { return cmp.Compare(a.x, b.x) })
		t.unit = unit
		for _, p := range t.samples {
			values = append(values, stat.SortedMedian(p.values), t.ideal(p.x))
			labels[p.x] = p.label
		}
	}
	for x := range labels {
		sizes = append(sizes, x)
	}
	slices.Sort(sizes)
	slices.Sort(values)
	a := axis{values[0], values[len(values)-1]}.roomy()
	if most := values[len(values)-1]; by != "time" && values[0] >= 0 && most > 0 {
		a = axis{0, 1.08 * most}
	}
	steps := ticks(a.low, a.high, 4)
	scale := quantity.NewScale(unit, steps...)
	g := graph{Title: benchmark, Unit: unitOf(scale)}
	for _, v := range steps {
		g.Ticks = append(g.Ticks, tick{coordinate(a.y(v)), scale.Number(v)})
	}
	across := func(x float64) float64 { return position(x, sizes, by) }
	g.XTicks = sizeTicks(sizes, labels, across)
	for i, t := range trends {
		g.Curves = append(g.Curves, t.curve(i, a, across, scale))
	}
	g.Of = pageInUnit(pageBySize(by), g.Unit)
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
	v := stat.SortedMedian(first.values)
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
	var path strings.Builder
	var dots trail
	var sizes []string
	at := func(x, y float64) string { return coordinate(chartWidth*across(x)) + " " + coordinate(a.y(y)) }
	for j, p := range t.samples {
		command := "L"
		if j == 0 {
			command = "M"
		}
		median := stat.SortedMedian(p.values)
		path.WriteString(command + at(p.x, median))
		dots.add(int(chartWidth*across(p.x)+0.5), int(a.y(median)+0.5), in.Number(median))
		sizes = append(sizes, p.label)
	}
	first, last := t.samples[0], t.samples[len(t.samples)-1]
	from, to := stat.SortedMedian(first.values), stat.SortedMedian(last.values)
	scale := quantity.NewScale(t.unit, from, to)
	c := curve{Class: fmt.Sprintf("c%d", i%mostCurves), Name: t.metric, Path: path.String(), Dots: dots.path(), Sizes: strings.Join(sizes, ","),
		Ends: pageFromTo(first.label, scale.Format(from), last.label, scale.Format(to), 100*t.efficiency)}
	if t.ideal(last.x) != from {
		c.Ideal = "M" + at(first.x, from)
		for _, p := range t.samples[1:] {
			c.Ideal += "L" + at(p.x, t.ideal(p.x))
		}
	}
	return c
}

// pageInUnit adds the unit of a chart; empty: a count.
func pageInUnit(text, unit string) string {
	if unit == "" || unit == "1" {
		return text
	}
	return text + ", in " + unit
}

// pageBySize says what the horizontal axis of a graph is.
func pageBySize(by string) string {
	switch by {
	case "bytes":
		return "by size of the message"
	case "time":
		return "over the time of the run, in seconds"
	default:
		return "by number of " + by + "s"
	}
}

// pageFromTo gives the ends of a curve. efficiency in percent is that of the last; 0: not known.
func pageFromTo(first, from, last, to string, efficiency float64) string {
	text := fmt.Sprintf("%s: %s, %s: %s", first, from, last, to)
	if efficiency > 0 {
		text += ", efficiency " + quantity.Percent(efficiency)
	}
	return text
}
