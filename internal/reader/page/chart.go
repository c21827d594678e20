package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// Sizes of a chart's drawing area, in which a pixel is so many units high. It is stretched to the width there is; what must keep its shape
// is placed by percentages. Of marks that lie on each other at its usual width, one is drawn.
const (
	chartWidth  = 1000
	usualWidth  = 600
	chartHeight = 180
	fineHeight  = 10 * chartHeight
	bins        = 36
	mostLabels  = 5
	mostCrosses = 40
)

// chart is values over nodes from left to right, within each benchmark if there are several, with their distribution at the side.
type chart struct {
	Title, Of, About string
	Ticks            []point
	// Paths of marks, from which the script tells what each of them is: see slots.
	Paths      []markPath
	Slots      slots
	Parts      []string
	Low, High  string // ends of the axis, in Unit
	Unit       string
	Crosses    []point
	Labels     []point
	Lines      []line
	Histogram  string
	Categories []point
	Ends       []string // of the axis, where there is no room for every category
	Legend     []string // of categories that are numbered
	Key        []shade
	Named      []string // parts that failed
	Few        bool     // marks, which are drawn larger
}

// markPath is the marks that look alike. Values of those that stand at an edge because they are beyond it; Note says of which attempts all of
// them are, empty for the first.
type markPath struct{ Class, D, Values, Note string }

// slots are the places from left to right: one for each part of a node, and some between nodes and between the outer categories.
type slots struct{ Node, Outer, All int }

func newSlots(nodes, parts, outer int) slots {
	s := slots{Node: parts + max(1, 2*parts/5)}
	s.Outer = nodes * s.Node
	if outer > 1 {
		s.Outer += s.Outer / 4
	}
	s.All = s.Outer * outer
	return s
}

// slot of a value.
func (c *chart) slot(v *value, nodes int) int {
	return int(v.category)*c.Slots.Outer + (c.Slots.Outer-nodes*c.Slots.Node)/2 + int(v.node)*c.Slots.Node + (c.Slots.Node-len(c.Parts)+1)/2 + int(v.at)
}

// point is a text or a sign at a place; Anchor and Shift say on which side of it.
type point struct{ X, Y, Text, Anchor, Shift string }

// line is a value that holds for all.
type line struct{ Class, Y string }

// note says of which attempts a value is; empty: of the first.
func (v *value) note() string {
	switch {
	case v.attempts > 1:
		return fmt.Sprintf("mean of %d attempts", v.attempts)
	case v.first > 1:
		return fmt.Sprintf("attempt %d", v.first)
	}
	return ""
}

// plot the values of parts of the nodes, by categories.
func (s *series) plot(title string, nodes []string, categories int, a axis) (chart, quantity.Scale) {
	ticks, scale := a.ticks(s.unit)
	in, ok := quantity.Factor(s.unit, scale.Unit())
	if !ok {
		in = 1
	}
	c := chart{Title: title, Few: len(s.values) <= 96, Parts: s.parts, Slots: newSlots(len(nodes), len(s.parts), categories), Ticks: ticks, Unit: scale.Unit(),
		Low: precise(a.low * in), High: precise(a.high * in)}
	c.marks(s.values, nodes, a, in)
	c.histogram(numbersOf(s.values), a)
	return c, scale
}

// trail is a path while it is written: marks follow each other by their distance, which takes the fewest bytes.
type trail struct {
	markPath
	standing standing
	beyond   bool
	x, y     int
	d        strings.Builder
	values   []string
}

var markClasses = map[standing]string{fine: "marks", warned: "marks warned", failed: "marks failed"}

// marks are drawn once where several would fall on each other. Values are so many times as large in the chart's unit.
func (c *chart) marks(values []value, nodes []string, a axis, in float64) {
	var trails []*trail
	seen := make(map[[3]int]bool, len(values))
	for v := range list.Each(values) {
		x := c.slot(v, len(nodes))
		height, beyond := a.edge(v.value)
		at := [3]int{int(v.standing), x * usualWidth / c.Slots.All, int(height + 0.5)}
		if seen[at] {
			continue
		}
		seen[at] = true
		note := v.note()
		k := slices.IndexFunc(trails, func(t *trail) bool { return t.standing == v.standing && t.beyond == beyond && t.Note == note })
		if k < 0 {
			k = len(trails)
			trails = append(trails, &trail{markPath: markPath{Note: note, Class: markClasses[v.standing]}, standing: v.standing, beyond: beyond})
		}
		said := ""
		if beyond {
			said = precise(v.value * in)
		}
		trails[k].add(x, int(height*fineHeight/chartHeight+0.5), said)
	}
	slices.SortStableFunc(trails, func(p, q *trail) int { return cmp.Compare(p.standing, q.standing) }) // what failed lies on top
	for _, t := range trails {
		if t.beyond {
			t.Class += " edge"
		}
		c.Paths = append(c.Paths, t.path())
	}
	c.name(values, nodes, a)
}

// add a mark. The script reads its value from its height, unless there is one.
func (t *trail) add(x, y int, value string) {
	command := "m"
	if t.d.Len() == 0 {
		command = "M"
	}
	t.d.WriteString(strings.Replace(fmt.Sprintf("%s%d %dh0", command, x-t.x, y-t.y), " -", "-", 1))
	t.x, t.y = x, y
	if value != "" {
		t.values = append(t.values, value)
	}
}

func (t *trail) path() markPath {
	t.D, t.Values = t.d.String(), strings.Join(t.values, " ")
	return t.markPath
}

// precise is a number for the script, which rounds it.
func precise(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// name labels the parts that failed, the farthest from the others first, and as many as do not lie on each other.
func (c *chart) name(values []value, nodes []string, a axis) {
	bad := list.Those(values, (*value).failed)
	middle := (a.low + a.high) / 2
	slices.SortStableFunc(bad, func(p, q *value) int { return cmp.Compare(math.Abs(q.value-middle), math.Abs(p.value-middle)) })
	type spot struct{ x, y float64 }
	var taken []spot
	for _, v := range bad[:min(len(bad), mostCrosses)] {
		x := float64(c.slot(v, len(nodes))) / float64(c.Slots.All)
		y, beyond := a.edge(v.value)
		c.Crosses = append(c.Crosses, point{X: share(x), Y: coordinate(y), Text: signOf(v.value, a, beyond)})
		near := func(s spot) bool { return math.Abs(s.y-y) < 15 && math.Abs(s.x-x) < 0.4 }
		if len(c.Labels) < mostLabels && !slices.ContainsFunc(taken, near) {
			taken = append(taken, spot{x, y})
			anchor, shift := "start", "9"
			if x > 0.55 {
				anchor, shift = "end", "-9"
			}
			c.Labels = append(c.Labels, point{X: share(x), Y: coordinate(min(max(y+4, 10), chartHeight-3)), Text: c.nameOf(v, nodes), Anchor: anchor, Shift: shift})
		}
	}
}

// signOf a part that failed: a cross, or an arrow to where it would be.
func signOf(v float64, a axis, beyond bool) string {
	switch {
	case !beyond:
		return "M-5-5L5 5M-5 5L5-5"
	case v < a.low:
		return "M-5-5L0 4L5-5M0 4V-9"
	}
	return "M-5 5L0-4L5 5M0-4V9"
}

func (c *chart) nameOf(v *value, nodes []string) string {
	return nodes[v.node] + partName(c.Parts[v.at])
}

// histogram has a bar for each bin that holds anything, however little.
func (c *chart) histogram(values []float64, a axis) {
	counts, most := binned(values, a, bins)
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

// binned counts the values in each of some bins, and the most that one has.
func binned(values []float64, a axis, bins int) (counts []int, most int) {
	counts = make([]int, bins)
	for _, v := range values {
		counts[min(max(int(float64(bins)*(v-a.low)/(a.high-a.low)), 0), bins-1)]++
	}
	return counts, max(1, slices.Max(counts))
}

// mark a value that holds for all, in the chart where it has room for it, and in the key with its number.
func (c *chart) mark(class, text string, v float64, a axis) {
	if v > a.low && v < a.high {
		c.Lines = append(c.Lines, line{class, coordinate(a.y(v))})
	} else {
		text += " (outside the chart)"
	}
	c.Key = append(c.Key, shade{class, text})
}

// categories name what is from left to right: all of them where that is readable, else the first and the last, or by numbers.
func (c *chart) categories(names []string, numbered bool) {
	widest := slices.Max(list.Map(names, func(n string) int { return len(n) }))
	fits := len(names) <= 6 && len(names)*widest <= 42 || len(names) == 1
	switch {
	case fits:
	case numbered:
		c.Legend = names
	default:
		c.Ends = []string{names[0], message.Several(len(names), "node") + ", by name", names[len(names)-1]}
		return
	}
	for i, n := range names {
		if !fits {
			n = fmt.Sprint(i + 1)
		}
		c.Categories = append(c.Categories, point{X: share((float64(i) + 0.5) / float64(len(names))), Text: n})
	}
}
