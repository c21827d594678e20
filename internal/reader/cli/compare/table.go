package compare

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/compare"
	"github.com/assay-dev/assay/internal/reader/export"
)

var compareColumns = []output.Column[*compare.Row]{
	{Title: "BENCHMARK", Cell: func(r *compare.Row) string { return r.Benchmark }},
	{Title: "METRIC", Cell: func(r *compare.Row) string { return r.Metric }},
	{Title: "OF", Cell: func(r *compare.Row) string { return r.Of() }},
	{Title: "A", Cell: func(r *compare.Row) string { return median(r, &r.A) }},
	{Title: "B", Cell: func(r *compare.Row) string { return median(r, &r.B) }},
	{Title: "RANGE A", Wide: true, Cell: func(r *compare.Row) string { return valueRange(r, &r.A) }},
	{Title: "RANGE B", Wide: true, Cell: func(r *compare.Row) string { return valueRange(r, &r.B) }},
	{Title: "PARTS", Wide: true, Cell: func(r *compare.Row) string { return fmt.Sprintf("%d+%d", r.A.Parts, r.B.Parts) }},
	{Title: "B VS A", Cell: difference},
	{Title: "INTERVAL", Cell: interval},
	{Title: "P", Cell: func(r *compare.Row) string {
		return ofEstimate(r, func(e *compare.Estimate) string { return quantity.Probability(e.Corrected) })
	}},
	{Title: "NOISE", Wide: true, Cell: func(r *compare.Row) string {
		return ofEstimate(r, func(e *compare.Estimate) string { return quantity.Percent(e.FloorPercent) })
	}},
	{Title: "TEST", Wide: true, Cell: func(r *compare.Row) string {
		return ofEstimate(r, func(e *compare.Estimate) string { return string(e.Test) })
	}},
	{Title: "UNITS", Wide: true, Cell: func(r *compare.Row) string { return ofEstimate(r, units) }},
	{Title: "OUTCOME", Cell: func(r *compare.Row) string { return r.Outcome.Word() }},
}

func ofEstimate(r *compare.Row, say func(*compare.Estimate) string) string {
	if r.Estimate == nil {
		return output.Unknown
	}
	return say(r.Estimate)
}

func median(r *compare.Row, s *compare.Summary) string {
	return output.Known(s.Median, r.Scale().Format)
}

func valueRange(r *compare.Row, s *compare.Summary) string {
	if s.Min == nil {
		return output.Unknown
	}
	in := r.Scale()
	return in.Number(*s.Min) + ".." + in.Number(*s.Max)
}

func difference(r *compare.Row) string {
	return ofEstimate(r, func(e *compare.Estimate) string {
		if r.Outcome == compare.Same {
			return compare.Explained
		}
		return quantity.SignedPercent(e.Percent)
	})
}

func interval(r *compare.Row) string {
	return ofEstimate(r, func(e *compare.Estimate) string {
		return quantity.SignedPercent(e.DecidingLow) + " .. " + quantity.SignedPercent(e.DecidingHigh)
	})
}

// units that a test was given: "8 nodes, paired".
func units(e *compare.Estimate) string {
	if e.Paired {
		return fmt.Sprintf("%d %ss, paired", e.UnitsA, e.Unit)
	}
	return fmt.Sprintf("%d+%d %ss", e.UnitsA, e.UnitsB, e.Unit)
}

// table is one of those that a comparison is shown by.
type table struct {
	header []string
	rows   [][]string
}

// compareTables are those that have rows.
func compareTables(c *compare.Comparison, wide bool) []table {
	all := []table{configurationCells(c), compareCells(c, wide), partCells(c)}
	return slices.DeleteFunc(all, func(t table) bool { return len(t.rows) == 0 })
}

func compareCells(c *compare.Comparison, wide bool) (t table) {
	short := !wide && c.LeavesOut() > 0
	t.header, t.rows = output.Cells(compareColumns, wide, list.Where(slices.Concat(c.ByChange()), func(r *compare.Row) bool {
		return (wide || !r.Unlisted) && (r.Outcome != compare.Same || !short)
	}))
	return t
}

// configurationCells are what differs beside the measurements.
func configurationCells(c *compare.Comparison) table {
	var rows [][]string
	for _, d := range c.Configuration {
		rows = append(rows, []string{output.OrUnknown(strings.TrimSpace(d.Benchmark + " " + d.Name)), output.Clean(compare.Told(d.A)), output.Clean(compare.Told(d.B))})
	}
	return table{[]string{"DIFFERS", "A", "B"}, rows}
}

// partCells are the values of every part, if they were asked for.
func partCells(c *compare.Comparison) table {
	var rows [][]string
	for r := range list.Each(c.Rows) {
		in := r.Scale()
		for _, p := range r.Parts {
			rows = append(rows, []string{
				output.OrUnknown(r.Benchmark), output.OrUnknown(r.Metric), output.OrUnknown(strings.Join(p.Nodes, ",")), output.OrUnknown(p.At),
				output.Known(p.A, in.Format), output.Known(p.B, in.Format), output.Deviation(p.Percent),
			})
		}
	}
	return table{[]string{"BENCHMARK", "METRIC", "NODE", "WHERE", "A", "B", "B VS A"}, rows}
}

// writeCompareTable shows the comparison to a person.
func writeCompareTable(w io.Writer, c *compare.Comparison, wide bool) error {
	fmt.Fprintf(w, "%s\n", strings.Join(output.CleanAll(c.Sides()), "\n"))
	for _, t := range compareTables(c, wide) {
		fmt.Fprintln(w)
		if err := output.Grid(w, t.header, t.rows); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "\n%s\n", strings.Join(compareConclusion(c, wide), "\n"))
	return err
}

// compareConclusion says what the rows do not, and what all of them come to.
func compareConclusion(c *compare.Comparison, wide bool) []string {
	return output.CleanAll(append(c.Notes(wide), c.Conclusion()...))
}

// writeCompareMarkdown shows the comparison as a section of a Markdown document.
func writeCompareMarkdown(w io.Writer, c *compare.Comparison) error {
	fmt.Fprintf(w, "## %s\n\n%s\n", output.Escape(fmt.Sprintf("Comparison of %s with %s", output.Clean(c.B.Name), output.Clean(c.A.Name))),
		output.Escape(strings.Join(output.CleanAll(c.Sides()), "  \n")))
	for _, t := range compareTables(c, true) {
		fmt.Fprintln(w)
		output.WriteMarkdown(w, t.header, t.rows)
	}
	_, err := fmt.Fprintf(w, "\n%s\n", output.Escape(strings.Join(compareConclusion(c, true), "  \n")))
	return err
}

// compareRecords have a row for each metric, and partRecords for each part.
func compareRecords(c *compare.Comparison) [][]string {
	rows := [][]string{{
		"benchmark", "metric", "kind", "unit", "better", "headline", "unlisted", "partsA", "nodesA", "medianA", "minA", "maxA", "partsB", "nodesB",
		"medianB", "minB", "maxB", "outcome", "percent", "low", "high", "p", "correctedP", "test", "paired", "resampled", "unitsA", "unitsB",
		"noisePercent", "why", "decidingLow", "decidingHigh",
	}}
	for r := range list.Each(c.Rows) {
		row := []string{r.Benchmark, r.Metric, r.Kind, r.Unit, string(r.Better), strconv.FormatBool(r.Headline), strconv.FormatBool(r.Unlisted)}
		for _, s := range []*compare.Summary{&r.A, &r.B} {
			row = append(row, strconv.Itoa(s.Parts), strconv.Itoa(s.Nodes), export.Optional(s.Median), export.Optional(s.Min), export.Optional(s.Max))
		}
		estimate, deciding := make([]string, 11), make([]string, 2)
		if e := r.Estimate; e != nil {
			estimate = []string{export.Number(e.Percent), export.Number(e.Low), export.Number(e.High), export.Number(e.P), export.Number(e.Corrected), string(e.Test),
				strconv.FormatBool(e.Paired), string(e.Unit), strconv.Itoa(e.UnitsA), strconv.Itoa(e.UnitsB), export.Number(e.FloorPercent)}
			deciding = []string{export.Number(e.DecidingLow), export.Number(e.DecidingHigh)}
		}
		rows = append(rows, slices.Concat(row, []string{string(r.Outcome)}, estimate, []string{r.Why}, deciding))
	}
	return rows
}

func partRecords(c *compare.Comparison) [][]string {
	rows := [][]string{{"benchmark", "metric", "kind", "unit", "nodes", "at", "a", "b", "percent"}}
	for r := range list.Each(c.Rows) {
		for _, p := range r.Parts {
			rows = append(rows, []string{
				r.Benchmark, r.Metric, r.Kind, r.Unit, strings.Join(p.Nodes, " "), p.At,
				export.Optional(p.A), export.Optional(p.B), export.Optional(p.Percent),
			})
		}
	}
	return rows
}
