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
type column struct{ Benchmark, Metric, Unit string }

// mostColumns of metrics; the others are with each node.
const mostColumns = 12

// nodeRow is where links to a node lead, unless its numbers are Here.
type nodeRow struct {
	*report.Node
	ID, Before, Tainted string
	Here                bool
	Cells               []nodeCell
}

type nodeCell struct{ Text, Class string }

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
	var columns []column
	var scales []quantity.Scale
	at := map[[2]string]int{}
	for f := range list.Each(r.Fleet) {
		if len(columns) == mostColumns || f.Median == nil {
			continue
		}
		at[[2]string{f.Benchmark, f.Metric}] = len(columns)
		scale := quantity.NewScale(f.Unit, *f.Median)
		scales = append(scales, scale)
		columns = append(columns, column{f.Benchmark, f.Metric, scale.Unit()})
	}
	rows := make([]nodeRow, len(r.Nodes))
	for i := range r.Nodes {
		n := &r.Nodes[i]
		row := nodeRow{Node: n, ID: ids[n.Name], Tainted: tainted(n), Cells: make([]nodeCell, len(columns))}
		if n.Before != nil {
			row.Before = n.Before.Marks()
		}
		for b := range list.Each(n.Benchmarks) {
			for _, m := range b.Metrics {
				k, shown := at[[2]string{b.Name, m.Name}]
				if !shown || m.Value == nil {
					continue
				}
				row.Cells[k].Text = scales[k].Number(*m.Value)
				if m.Verdict == v1alpha1.VerdictFail {
					row.Cells[k].Class = "fail"
				}
			}
		}
		rows[i] = row
	}
	return columns, rows
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
