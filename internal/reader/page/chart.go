package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// Sizes of a chart's drawing area. It is stretched to the width there is; what must keep its shape is placed by percentages.
const (
	chartWidth  = 1000
	chartHeight = 180
	bins        = 36
	mostLabels  = 5
)

// chart is values over categories from left to right, which are nodes or benchmarks, with their distribution at the side.
type chart struct {
	Title, Of, About string
	Ticks            []tick
	// Marks are the paths of parts that are fine, warned and failed.
	Marks, Warned, Failed string
	Crosses               []point
	Labels                []point
	Lines                 []line
	Histogram             string
	Categories            []point
	Ends                  []string // of the axis, where there is no room for every category
	Legend                []string // of categories that are numbered
	Key                   []keyEntry
	Named                 []string // parts that failed
	Few                   bool     // marks, which are drawn larger
}

type tick struct{ Y, Text string }

// point is a text at a place; Anchor and Shift say on which side of it.
type point struct{ X, Y, Text, Anchor, Shift string }

// line is a value that holds for all.
type line struct{ Class, Y string }

type keyEntry struct{ Class, Text string }

// axis turns values into heights.
type axis struct{ low, high float64 }

func (a axis) y(v float64) float64 { return chartHeight * (1 - (v-a.low)/(a.high-a.low)) }

// newAxis shows all values and, of the other numbers, those that are not far from them.
func newAxis(sorted []float64, others ...float64) axis {
	a := axis{sorted[0], sorted[len(sorted)-1]}
	span := max(a.high-a.low, 0.04*distance(a.high, 0))
	for _, v := range others {
		if v >= a.low-2*span && v <= a.high+2*span {
			a.low, a.high = min(a.low, v), max(a.high, v)
		}
	}
	margin := 0.08 * (a.high - a.low)
	if margin == 0 {
		margin = max(0.01*max(a.high, -a.high), 1e-12)
	}
	return axis{a.low - margin, a.high + margin}
}

// dot is a value in a category; offset from 0 to 1 is its place within that.
type dot struct {
	category int
	offset   float64
	value    float64
	standing standing
	name     string
}

// plot draws dots over so many categories.
func (c *chart) plot(dots []dot, categories int, a axis, unit string) quantity.Scale {
	c.marks(dots, categories, a)
	values := make([]float64, len(dots))
	for i := range dots {
		values[i] = dots[i].value
	}
	c.histogram(values, a)
	steps := ticks(a.low, a.high, 4)
	scale := quantity.NewScale(unit, steps...)
	for _, v := range steps {
		c.Ticks = append(c.Ticks, tick{coordinate(a.y(v)), scale.Number(v)})
	}
	return scale
}

func place(d *dot, categories int) float64 {
	return (float64(d.category) + 0.14 + 0.72*d.offset) / float64(categories)
}

// marks are drawn once where several would fall on each other.
func (c *chart) marks(dots []dot, categories int, a axis) {
	var paths [3]strings.Builder
	seen := make(map[[3]int]bool, len(dots))
	for i := range dots {
		d := &dots[i]
		x, y := int(chartWidth*place(d, categories)+0.5), int(a.y(d.value)+0.5)
		at := [3]int{int(d.standing), x, y}
		if !seen[at] {
			seen[at] = true
			fmt.Fprintf(&paths[d.standing], "M%d %dh0", x, y)
		}
	}
	c.Marks, c.Warned, c.Failed = paths[fine].String(), paths[warned].String(), paths[failed].String()
	c.name(dots, categories, a)
}

// name labels the parts that failed, the farthest from the others first, and as many as do not lie on each other.
func (c *chart) name(dots []dot, categories int, a axis) {
	var bad []*dot
	for i := range dots {
		if dots[i].standing == failed {
			bad = append(bad, &dots[i])
		}
	}
	middle := (a.low + a.high) / 2
	slices.SortStableFunc(bad, func(p, q *dot) int { return cmp.Compare(distance(q.value, middle), distance(p.value, middle)) })
	type spot struct{ x, y float64 }
	var taken []spot
	for _, d := range bad {
		x, y := place(d, categories), a.y(d.value)
		if len(c.Crosses) < 40 {
			c.Crosses = append(c.Crosses, point{X: share(x), Y: coordinate(y)})
		}
		near := func(s spot) bool { return distance(s.y, y) < 15 && distance(s.x, x) < 0.4 }
		if len(c.Labels) < mostLabels && !slices.ContainsFunc(taken, near) {
			taken = append(taken, spot{x, y})
			anchor, shift := "start", "9"
			if x > 0.55 {
				anchor, shift = "end", "-9"
			}
			c.Labels = append(c.Labels, point{X: share(x), Y: coordinate(min(max(y+4, 10), chartHeight-3)), Text: d.name, Anchor: anchor, Shift: shift})
		}
	}
}

func distance(a, b float64) float64 { return max(a-b, b-a) }

// histogram has a bar for each bin that holds anything, however little.
func (c *chart) histogram(values []float64, a axis) {
	var counts [bins]int
	most := 1
	for _, v := range values {
		i := min(max(int(bins*(v-a.low)/(a.high-a.low)), 0), bins-1)
		counts[i]++
		most = max(most, counts[i])
	}
	var path strings.Builder
	height := float64(chartHeight) / bins
	for i, n := range counts {
		if n > 0 {
			width := 3 + 95*float64(n)/float64(most)
			fmt.Fprintf(&path, "M0 %sh%sv%sH0z", coordinate(chartHeight-float64(i+1)*height), coordinate(width), coordinate(height-0.6))
		}
	}
	c.Histogram = path.String()
}

// mark a value that holds for all, in the chart where it has room for it, and in the key with its number.
func (c *chart) mark(class, text string, v float64, a axis) {
	if v > a.low && v < a.high {
		c.Lines = append(c.Lines, line{class, coordinate(a.y(v))})
	} else {
		text += " (outside the chart)"
	}
	c.Key = append(c.Key, keyEntry{class, text})
}

// categories name what is from left to right: all of them where that is readable, else the first and the last, or by numbers.
func (c *chart) categories(names []string, numbered bool) {
	widest := 0
	for _, n := range names {
		widest = max(widest, len(n))
	}
	fits := len(names) <= 6 && len(names)*widest <= 42 || len(names) == 1
	switch {
	case fits:
	case numbered:
		c.Legend = names
	default:
		c.Ends = []string{names[0], message.NodesCounted(int32(len(names))) + ", by name", names[len(names)-1]}
		return
	}
	for i, n := range names {
		if !fits {
			n = fmt.Sprint(i + 1)
		}
		c.Categories = append(c.Categories, point{X: share((float64(i) + 0.5) / float64(len(names))), Text: n})
	}
}
