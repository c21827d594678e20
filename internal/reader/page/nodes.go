package page

import (
	"regexp"
	"strconv"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/report"
)

// column of the table of nodes: a headline metric.
type column struct {
	*report.FleetMetric
	scale quantity.Scale
}

// Unit that the column is written in.
func (c column) Unit() string { return c.scale.Unit() }

// mostColumns of metrics; the others are with each node.
const mostColumns = 12

// nodeRow is where links to a node lead, unless its numbers are Here.
type nodeRow struct {
	*report.Node
	ID, Tainted string
	Here        bool
	Cells       []nodeCell
}

type nodeCell struct {
	Text   string
	Failed bool
}

// nodeName is that of an object of Kubernetes. The page's own ids have an underscore, so that no node can have one of them.
var nodeName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,252}$`)

// nodeIDs are the places of the nodes on the page: their names, so that a link can be written by hand. Those of a second run have its number in
// front.
func nodeIDs(run int, nodes []report.Node) map[string]string {
	ids := make(map[string]string, len(nodes))
	for i := range nodes {
		name := nodes[i].Name
		ids[name] = name
		if !nodeName.MatchString(name) {
			ids[name] = "_" + strconv.Itoa(i)
		}
		if run > 0 {
			ids[name] = "r" + strconv.Itoa(run) + "_" + ids[name]
		}
	}
	return ids
}

func nodeTable(r *report.Report, ids map[string]string) ([]column, []nodeRow) {
	known := list.Those(r.Fleet, func(f *report.FleetMetric) bool { return f.Median != nil })
	columns := list.Map(known[:min(len(known), mostColumns)], func(f *report.FleetMetric) column { return column{f, quantity.NewScale(f.Unit, *f.Median)} })
	var rows []nodeRow
	for n := range list.Each(r.Nodes) {
		cells := list.Map(columns, func(c column) nodeCell { return c.of(n) })
		rows = append(rows, nodeRow{Node: n, ID: ids[n.Name], Tainted: tainted(n), Cells: cells})
	}
	return columns, rows
}

func (c column) of(n *report.Node) (shown nodeCell) {
	for b := range list.Each(n.Benchmarks) {
		for m := range list.Each(b.Metrics) {
			if b.Name == c.Benchmark && m.Name == c.Metric && m.Value != nil {
				shown = nodeCell{c.scale.Number(*m.Value), m.Verdict == v1alpha1.VerdictFail}
			}
		}
	}
	return shown
}

// tainted says whether a node is, or how many of its devices are.
func tainted(n *report.Node) string {
	switch {
	case n.OutOfService != nil:
		return n.OutOfService.Count() + " out of service"
	case n.Tainted:
		return "tainted"
	}
	return ""
}
