package cli

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/compare"
	"github.com/assay-dev/assay/internal/export"
)

// writeCompareCSV writes a row for each metric or, with their values, for each part.
func writeCompareCSV(w io.Writer, c *compare.Comparison, parts bool) error {
	out := csv.NewWriter(w)
	rows := compareRecords(c)
	if parts {
		rows = partRecords(c)
	}
	for _, row := range rows {
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func compareRecords(c *compare.Comparison) [][]string {
	rows := [][]string{{
		"benchmark", "metric", "kind", "unit", "better", "headline", "unlisted", "partsA", "nodesA", "medianA", "minA", "maxA", "partsB", "nodesB",
		"medianB", "minB", "maxB", "outcome", "percent", "low", "high", "p", "correctedP", "test", "paired", "resampled", "unitsA", "unitsB",
		"noisePercent", "why",
	}}
	for i := range c.Rows {
		r := &c.Rows[i]
		row := []string{text(r.Benchmark), text(r.Metric), text(r.Kind), text(r.Unit), string(r.Better), strconv.FormatBool(r.Headline), strconv.FormatBool(r.Unlisted)}
		for _, s := range []*compare.Summary{&r.A, &r.B} {
			row = append(row, strconv.Itoa(s.Parts), strconv.Itoa(s.Nodes), optional(s.Median), optional(s.Min), optional(s.Max))
		}
		row = append(row, string(r.Outcome))
		if e := r.Estimate; e != nil {
			row = append(row, number(e.Percent), number(e.Low), number(e.High), number(e.P), number(e.Corrected), string(e.Test),
				strconv.FormatBool(e.Paired), string(e.Unit), strconv.Itoa(e.UnitsA), strconv.Itoa(e.UnitsB), number(e.FloorPercent))
		} else {
			row = append(row, make([]string, 11)...)
		}
		rows = append(rows, append(row, text(r.Why)))
	}
	return rows
}

func partRecords(c *compare.Comparison) [][]string {
	rows := [][]string{{"benchmark", "metric", "kind", "unit", "nodes", "at", "a", "b", "percent"}}
	for i := range c.Rows {
		r := &c.Rows[i]
		for _, p := range r.Parts {
			rows = append(rows, []string{
				text(r.Benchmark), text(r.Metric), text(r.Kind), text(r.Unit), text(strings.Join(p.Nodes, " ")), text(p.At),
				optional(p.A), optional(p.B), optional(p.Percent),
			})
		}
	}
	return rows
}

// text of a program or a node, as a spreadsheet may have it.
func text(s string) string { return export.Cell(clean(s)) }

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func optional(v *float64) string {
	if v == nil {
		return ""
	}
	return number(*v)
}
