package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/report"
)

// column is one column of the report's table.
type column struct {
	title string
	wide  bool
	cell  func(report.Row) string
}

var columns = []column{
	{title: "NODE", cell: func(r report.Row) string { return r.Node.Name }},
	{title: "BENCHMARK", cell: func(r report.Row) string { return r.Benchmark.Name }},
	{title: "METRIC", cell: func(r report.Row) string { return r.Metric.Name }},
	{title: "WHERE", wide: true, cell: func(r report.Row) string { return r.Metric.At }},
	{title: "VALUE", cell: func(r report.Row) string { return number(r.Metric, r.Metric.Value) }},
	{title: "TYPICAL", wide: true, cell: func(r report.Row) string { return number(r.Metric, r.Metric.Typical) }},
	{title: "BOUND", wide: true, cell: func(r report.Row) string { return number(r.Metric, r.Metric.Bound) }},
	{title: "OF PEAK", cell: func(r report.Row) string { return percent(r.Metric.PercentOfPeak) }},
	{title: "VS TYPICAL", cell: func(r report.Row) string { return output.Deviation(r.Metric.DeviationPercent) }},
	{title: "FINDS FROM", wide: true, cell: func(r report.Row) string { return percent(r.Metric.FindsFromPercent) }},
	{title: "VERDICT", cell: func(r report.Row) string { return string(r.Verdict()) }},
	{title: "REASON", cell: func(r report.Row) string { return r.Reason() }},
	{title: "ATTEMPTS", wide: true, cell: func(r report.Row) string { return output.Attempts(r.Benchmark.Attempts) }},
}

// cells are the table's header and rows.
func cells(r *report.Report, wide bool) (header []string, rows [][]string) {
	var shown []column
	for _, c := range columns {
		if !c.wide || wide {
			shown = append(shown, c)
			header = append(header, c.title)
		}
	}
	for _, of := range r.Rows() {
		row := list.Map(shown, func(c column) string { return output.OrUnknown(c.cell(of)) })
		rows = append(rows, row)
	}
	return header, rows
}

// writeTable shows the report to a person: the table, why nodes did not pass, and the run's verdict.
func writeTable(w io.Writer, r *report.Report, wide bool) error {
	header, rows := cells(r, wide)
	if err := output.Grid(w, header, rows); err != nil {
		return err
	}
	for _, p := range append(scalings(r, wide), explanations(r)...) {
		p.title = output.PaintVerdict(w, p.title)
		fmt.Fprintf(w, "\n%s\n", p.indented())
	}
	_, err := fmt.Fprintf(w, "\n%s\n", output.PaintVerdict(w, strings.Join(Conclusion(r), "\n")))
	return err
}

// number of a metric, in the unit in which its value, what is typical and the bound can be told apart.
func number(m *report.Metric, v *float64) string {
	if v == nil {
		return output.Unknown
	}
	var all []float64
	for _, v := range []*float64{m.Value, m.Typical, m.Bound} {
		if v != nil {
			all = append(all, *v)
		}
	}
	return quantity.NewScale(m.Unit, all...).Format(*v)
}

func percent(v *float64) string {
	if v == nil {
		return output.Unknown
	}
	return quantity.Percent(*v)
}
