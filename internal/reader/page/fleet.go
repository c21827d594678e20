package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/reader/report"
)

// fleetMap has a cell for each node. Those with the same Label stand in one row; without one, those of one rack, if the names tell Racks.
type fleetMap struct {
	Size, Label, Worst string
	Racks              bool
	Rows               []mapRow
	Steps              []shade
}

type mapRow struct {
	Label string
	Cells []mapCell
}

// mapCell is a node: Text is its sign, so that no colour stands alone. ID is where the node stands on the page; empty: nowhere.
type mapCell struct{ ID, Title, Class, Name, Text string }

const (
	// wholeNames of so many nodes have room in their cells, ends of the names of tailedNames, and signs of signedNames.
	wholeNames, tailedNames, signedNames = 32, 128, 1024
	// mostWorst nodes are named below the map.
	mostWorst = 8
)

// newFleetMap of all nodes, which it sorts by their places, if a label gives those, and by name. Those without an id are not in the tables.
func newFleetMap(nodes []report.Node, ids map[string]string, label string) *fleetMap {
	if len(nodes) == 0 {
		return nil
	}
	slices.SortStableFunc(nodes, func(a, b report.Node) int { return report.CompareNatural(a.Place, b.Place) })
	all := make([]standingNode, len(nodes))
	for i := range nodes {
		all[i] = stand(&nodes[i])
	}
	m := &fleetMap{Size: "dense", Label: label, Racks: label == "" && haveRacks(all), Worst: worstOf(all), Steps: mapSteps}
	switch {
	case len(nodes) <= tailedNames:
		m.Size = "wide"
	case len(nodes) <= signedNames:
		m.Size = ""
	}
	for n := range list.Each(all) {
		front, tail := cutName(n.Name)
		row := ""
		switch {
		case label != "":
			row = cmp.Or(n.Place, "no label")
		case m.Racks:
			row = front
		}
		if last := len(m.Rows) - 1; last < 0 || m.Rows[last].Label != row {
			m.Rows = append(m.Rows, mapRow{Label: row})
		}
		cell := mapCell{ID: ids[n.Name], Title: n.title(), Class: n.class(), Text: signs[class(n.Verdict)]}
		switch {
		case m.Size == "wide" && (m.Racks || len(nodes) > wholeNames):
			cell.Name = cmp.Or(tail, n.Name)
		case m.Size == "wide":
			cell.Name = n.Name
		}
		last := &m.Rows[len(m.Rows)-1]
		last.Cells = append(last.Cells, cell)
	}
	return m
}

var signs = map[string]string{"fail": "✕", "warn": "!", "none": "–"}

var mapSteps = []shade{{"", "within noise"}, {"d1", "near the bound: from " + strconv.FormatFloat(near, 'g', -1, 64)}, {"d2", "beyond the bound: from 1"}, {"d3", "far beyond it: from 2"},
	{"no", "! not measured or judged, – not yet"}}

// standingNode is a node with its worst deviation, and of what.
type standingNode struct {
	*report.Node
	far   float64 // NaN: nothing was judged
	worst string
}

// stand is how far a node's worst metric is from typical. What failed without a number is at its bound.
func stand(n *report.Node) standingNode {
	s := standingNode{Node: n, far: math.NaN()}
	take := func(failed bool, of string, value, typical, bound *float64) {
		far := 1.0
		switch {
		case value != nil && typical != nil && bound != nil && *typical != *bound:
			far = tooFar(*value, *typical, *bound)
		case !failed:
			return
		}
		if failed {
			far = max(far, 1)
		} else {
			far = min(far, 0.99) // its evidence as a whole cleared it
		}
		if math.IsNaN(s.far) || far > s.far {
			s.far, s.worst = far, of
		}
	}
	for b := range list.Each(n.Benchmarks) {
		for m := range list.Each(b.Metrics) {
			take(m.Verdict == v1alpha1.VerdictFail, b.Name+" "+m.Name+partName(m.At), m.Value, m.Typical, m.Bound)
		}
	}
	for f := range list.Each(n.Faults) {
		take(true, f.Benchmarks[0]+" "+f.Metric+partName(f.At), f.Value, f.Typical, f.Bound)
	}
	if n.Verdict == v1alpha1.VerdictFail && !(s.far >= 1) {
		s.far, s.worst = 1, n.Reason
	}
	return s
}

func (s *standingNode) class() string {
	switch class(s.Verdict) {
	case "warn", "none":
		return "no"
	}
	return shadeOf(s.far)
}

// text is the distance, or why there is none.
func (s *standingNode) text() string {
	switch {
	case s.class() == "no":
		return string(s.Verdict)
	case math.IsNaN(s.far):
		return ""
	case s.far >= 10:
		return strconv.FormatFloat(s.far, 'f', 0, 64)
	}
	return strconv.FormatFloat(max(s.far, 0), 'f', 1, 64)
}

// title is what the pointer shows: name and distance, and which part of the node is out of service.
func (s *standingNode) title() string {
	title := strings.TrimSpace(s.Name + " " + s.text())
	if s.OutOfService != nil {
		title += ", " + tainted(s.Node)
	}
	return title
}

// worstOf says what there is to see, to those who cannot.
func worstOf(all []standingNode) string {
	judged := list.Where(all, func(n standingNode) bool { return n.class() != "no" })
	slices.SortStableFunc(judged, func(a, b standingNode) int { return cmp.Compare(b.far, a.far) })
	beyond := list.Map(list.Where(judged, func(n standingNode) bool { return n.far >= 1 }), func(n standingNode) string {
		return strings.TrimSuffix(fmt.Sprintf("%s %s (%s)", n.Name, n.text(), n.worst), " ()")
	})
	within, open := judged[len(beyond):], len(all)-len(judged)
	var said []string
	if len(beyond) > 0 {
		said = append(said, "Beyond the bound: "+message.AndMore(beyond, mostWorst, len(beyond))+".")
	}
	switch {
	case len(within) > 0 && math.IsNaN(within[0].far):
		said = append(said, message.Several(len(within), "node")+" within it.")
	case len(within) > 0:
		said = append(said, fmt.Sprintf("%s within it, the worst at %.1f.", message.Several(len(within), "node"), max(within[0].far, 0)))
	}
	if open > 0 {
		said = append(said, message.Several(open, "node")+" not measured or judged.")
	}
	return strings.Join(said, " ")
}

// cutName before the number at its end: rack7-node3 in domains is 3 in rack7-node.
func cutName(name string) (front, tail string) {
	host, _, _ := strings.Cut(name, ".")
	front = strings.TrimRight(host, "0123456789")
	return strings.TrimRight(front, "-"), host[len(front):]
}

// haveRacks says whether what stands in front of the numbers makes some groups of several nodes.
func haveRacks(all []standingNode) bool {
	fronts := len(list.Groups(all, func(n standingNode) string {
		front, _ := cutName(n.Name)
		return front
	}))
	return fronts > 1 && len(all) >= 4*fronts
}
