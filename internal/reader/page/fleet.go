package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/list"
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
