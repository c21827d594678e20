package compare

import (
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/reader/compare"
	"github.com/assay-dev/assay/internal/reader/export"
)

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
