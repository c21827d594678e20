package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

// mostNamed parts that failed are listed below a chart.
const mostNamed = 12

// strips are the charts of the headline metrics, with a mark for each part of each node: those that failed first, and last those whose values are
// all alike.
func (c *collection) strips() []chart {
	var all []chart
	for _, s := range c.all {
		if s.isHeadline() {
			all = append(all, s.strip(c.nodes))
		}
	}
	slices.SortStableFunc(all, func(a, b chart) int {
		flat := func(c *chart) int { return min(strings.Count(c.Histogram, "z"), 2) }
		return cmp.Or(list.Before(len(a.Named) > 0, len(b.Named) > 0), cmp.Compare(flat(&b), flat(&a)))
	})
	return all
}

func (s *series) strip(nodes []string) chart {
	sorted := s.sortedValues()
	typical := s.typical(sorted)
	bound := s.bound()
	a := bandAxis(sorted, typical, bound)
	peak := known(s.headline.peaks)
	if peak != nil {
		a = a.with(*peak)
	}
	a = a.roomy()
	ch, scale := s.plot(s.metric, nodes, 1, a)
	ch.Of = message.With(s.of(), ", in ", scale.Unit())
	ch.categories(nodes, false)
	text := quantity.ScaleOf(s.unit, &typical, bound, peak)
	ch.mark("median", "typical "+text.Format(typical), typical, a)
	if bound != nil {
		ch.mark("bound", "bound "+text.Format(*bound), *bound, a)
	}
	if peak != nil {
		ch.mark("peak", fmt.Sprintf("peak %s; typical is %s of it", text.Format(*peak), quantity.Percent(percentOf(typical, *peak, s.lower))), *peak, a)
	}
	bad := ch.named(nodes, s)
	ch.About = fmt.Sprintf("%s, %d values on %s: %s to %s, typical %s. ", s.metric, len(s.values), message.Several(s.measuredNodes(anyNode), "node"),
		text.Format(sorted[0]), text.Format(sorted[len(sorted)-1]), text.Format(typical))
	if bad > 0 {
		ch.About += fmt.Sprintf("%d failed.", bad)
	} else {
		ch.About += "None failed."
	}
	return ch
}

func percentOf(v, peak float64, lower bool) float64 {
	if lower {
		return 100 * peak / v
	}
	return 100 * v / peak
}

// partName follows the name of a node.
func partName(at string) string {
	if at == "" || at == "node" {
		return ""
	}
	return " " + at
}

// of says what a mark stands for.
func (s *series) of() string {
	if _, _, by := sizeOf(s.kind); by != "" {
		return fmt.Sprintf("%s at %s; each mark is one node", s.benchmark, s.kind)
	}
	return fmt.Sprintf("%s; each mark is one %s", s.benchmark, message.PartName(s.kind))
}

// named lists the parts that failed, with their values, after those whose data was wrong, and counts them.
func (c *chart) named(nodes []string, s *series) int {
	c.Named = list.Map(s.wrong, func(p wrongPart) string { return nodes[p.node] + partName(p.at) + ": wrong data" }) // these have no mark
	for _, v := range list.Those(s.values, (*value).failed) {
		c.Named = append(c.Named, c.nameOf(v, nodes)+": "+quantity.Format(v.value, s.unit))
	}
	bad := len(c.Named)
	if more := bad - mostNamed; more > 0 {
		c.Named = append(c.Named[:mostNamed], message.More(more))
	}
	return bad
}

// metricRow is a row of the table of all metrics.
type metricRow struct {
	Benchmark, Metric                   string
	Part                                sized
	Count, Failed                       int
	Least, P5, Median, P95, Most, Bound sized
	Unit, Peak, Histogram               string
}

// metrics are all series, first those that failed and then those of the charts; the others are folded.
func (c *collection) metrics() (open, folded []metricRow) {
	for _, s := range c.all {
		sorted := s.sortedValues()
		median := stat.SortedMedian(sorted)
		last := len(sorted) - 1
		scale := quantity.NewScale(s.unit, median)
		in := func(v float64) sized { return sized{scale.Number(v), worth(v, s.unit)} }
		r := metricRow{Benchmark: s.benchmark, Metric: s.metric, Part: kindOf(s.kind), Count: len(sorted), Unit: scale.Unit(), Least: in(sorted[0]),
			P5: in(stat.Quantile(sorted, 0.05)), Median: in(median), P95: in(stat.Quantile(sorted, 0.95)), Most: in(sorted[last])}
		r.Failed = len(s.wrong) + len(list.Those(s.values, (*value).failed))
		if s.isHeadline() {
			if v := s.headline.bound(); v != nil {
				r.Bound = in(*v)
			}
			if v := known(s.headline.peaks); v != nil {
				r.Peak = quantity.Percent(percentOf(median, *v, s.lower))
			}
		}
		if last >= 3 && sorted[0] < sorted[last] {
			r.Histogram = sparkline(sorted)
		}
		if r.Failed > 0 || s.isHeadline() {
			open = append(open, r)
		} else {
			folded = append(folded, r)
		}
	}
	slices.SortStableFunc(open, func(a, b metricRow) int { return list.Before(a.Failed > 0, b.Failed > 0) })
	return open, folded
}

// sparkBins of the small histogram of a table's row, 4 units wide and at most 20 high.
const sparkBins = 20

func sparkline(sorted []float64) string {
	low, high := middleOf(sorted)
	counts, most := binned(sorted, axis{low, high}, sparkBins)
	var path strings.Builder
	for i, n := range counts {
		if n > 0 {
			height := max(2, (20*n+most/2)/most)
			fmt.Fprintf(&path, "M%d 20v-%dh3v%dz", 4*i, height, height)
		}
	}
	return path.String()
}
