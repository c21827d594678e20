package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/report"
)

// columns of the report's table.
var columns = []output.Column[report.Row]{
	{Title: "NODE", Cell: func(r report.Row) string { return r.Node.Name }},
	{Title: "BENCHMARK", Cell: func(r report.Row) string { return r.Benchmark.Name }},
	{Title: "METRIC", Cell: func(r report.Row) string { return r.Metric.Name }},
	{Title: "WHERE", Wide: true, Cell: func(r report.Row) string { return r.Metric.At }},
	{Title: "VALUE", Cell: func(r report.Row) string { return number(r.Metric, r.Metric.Value) }},
	{Title: "TYPICAL", Wide: true, Cell: func(r report.Row) string { return number(r.Metric, r.Metric.Typical) }},
	{Title: "BOUND", Wide: true, Cell: func(r report.Row) string { return number(r.Metric, r.Metric.Bound) }},
	{Title: "OF PEAK", Cell: func(r report.Row) string { return output.Known(r.Metric.PercentOfPeak, quantity.Percent) }},
	{Title: "VS TYPICAL", Cell: func(r report.Row) string { return output.Deviation(r.Metric.DeviationPercent) }},
	{Title: "FINDS FROM", Wide: true, Cell: func(r report.Row) string { return output.Known(r.Metric.FindsFromPercent, quantity.Percent) }},
	{Title: "VERDICT", Cell: func(r report.Row) string { return string(r.Verdict()) }},
	{Title: "REASON", Cell: func(r report.Row) string { return r.Reason() }},
	{Title: "ATTEMPTS", Wide: true, Cell: func(r report.Row) string { return output.Attempts(r.Benchmark.Attempts) }},
}

// writeTable shows the report to a person: the table, why nodes did not pass, and the run's verdict.
func writeTable(w io.Writer, r *report.Report, wide bool) error {
	header, rows := output.Cells(columns, wide, r.Rows())
	if err := output.Grid(w, header, rows); err != nil {
		return err
	}
	for _, p := range append(scalings(r, wide), explanations(r)...) {
		p.title = output.PaintVerdict(w, p.title)
		fmt.Fprintf(w, "\n%s\n", strings.Join(append([]string{p.title}, p.lines...), "\n  "))
	}
	_, err := fmt.Fprintf(w, "\n%s\n", output.PaintVerdict(w, strings.Join(Conclusion(r), "\n")))
	return err
}

// number of a metric, in the unit in which its value, what is typical and the bound can be told apart.
func number(m *report.Metric, v *float64) string {
	return output.Known(v, quantity.ScaleOf(m.Unit, m.Value, m.Typical, m.Bound).Format)
}

// writeMarkdown shows the report as a section of a Markdown document.
func writeMarkdown(w io.Writer, r *report.Report) error {
	fmt.Fprintf(w, "## %s\n\n", output.Escape(output.Clean(fmt.Sprintf("Validation run %s: %s", r.Run.Name, r.Run.Verdict))))
	header, rows := output.Cells(columns, true, r.Rows())
	output.WriteMarkdown(w, header, rows)
	for _, p := range append(scalings(r, true), explanations(r)...) {
		list := strings.Join(append([]string{p.title}, p.lines...), "\n- ")
		fmt.Fprintf(w, "\n%s\n", output.Escape(strings.ReplaceAll(list, "\n-   ", "\n  - ")))
	}
	_, err := fmt.Fprintf(w, "\n%s\n", output.Escape(strings.Join(Conclusion(r), "  \n")))
	return err
}
