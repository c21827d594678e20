package page

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/report"
)

// column of the table of nodes: a headline metric.
type column struct{ Benchmark, Metric, Unit string }

// mostColumns of metrics; the others are with each node.
const mostColumns = 12

type nodeRow struct {
	Name, Target, Verdict, Class, Reason string
	Tainted                              bool
	Cells                                []nodeCell
}

type nodeCell struct{ Text, Class string }

func nodeTable(r *report.Report, id string) ([]column, []nodeRow) {
	var columns []column
	var scales []quantity.Scale
	at := map[[2]string]int{}
	for i := range r.Fleet {
		f := &r.Fleet[i]
		if len(columns) == mostColumns || f.Median == nil {
			continue
		}
		at[[2]string{f.Benchmark, f.Metric}] = len(columns)
		scale := quantity.NewScale(f.Unit, *f.Median)
		scales = append(scales, scale)
		columns = append(columns, column{f.Benchmark, f.Metric, unitOf(scale)})
	}
	rows := make([]nodeRow, len(r.Nodes))
	for i := range r.Nodes {
		n := &r.Nodes[i]
		row := nodeRow{Name: n.Name, Target: nodeID(id, i), Verdict: string(n.Verdict), Class: class(n.Verdict), Reason: n.Reason, Tainted: n.Tainted,
			Cells: make([]nodeCell, len(columns))}
		for j := range n.Benchmarks {
			for _, m := range n.Benchmarks[j].Metrics {
				k, shown := at[[2]string{n.Benchmarks[j].Name, m.Name}]
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
