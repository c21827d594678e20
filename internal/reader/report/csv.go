package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/reader/export"
)

type csvColumn struct {
	name string
	cell func(*Run, Row) string
}

// csvColumns are those of the report's table, with plain numbers in the unit beside them.
var csvColumns = []csvColumn{
	{"cluster", func(r *Run, _ Row) string { return r.Cluster }},
	{"run", func(r *Run, _ Row) string { return r.Name }},
	{"node", func(_ *Run, r Row) string { return r.Node.Name }},
	{"benchmark", func(_ *Run, r Row) string { return r.Benchmark.Name }},
	{"metric", func(_ *Run, r Row) string { return r.Metric.Name }},
	{"at", func(_ *Run, r Row) string { return r.Metric.At }},
	{"value", func(_ *Run, r Row) string { return export.Optional(r.Metric.Value) }},
	{"unit", func(_ *Run, r Row) string { return r.Metric.Unit }},
	{"typical", func(_ *Run, r Row) string { return export.Optional(r.Metric.Typical) }},
	{"bound", func(_ *Run, r Row) string { return export.Optional(r.Metric.Bound) }},
	{"percentOfPeak", func(_ *Run, r Row) string { return export.Optional(r.Metric.PercentOfPeak) }},
	{"deviationPercent", func(_ *Run, r Row) string { return export.Optional(r.Metric.DeviationPercent) }},
	{"verdict", func(_ *Run, r Row) string { return string(r.Verdict()) }},
	{"reason", func(_ *Run, r Row) string { return r.Reason() }},
	{"attempts", func(_ *Run, r Row) string {
		if r.Benchmark.Attempts == 0 {
			return ""
		}
		return strconv.Itoa(r.Benchmark.Attempts)
	}},
	{"tainted", func(_ *Run, r Row) string { return strconv.FormatBool(r.Node.Tainted) }},
	{"message", func(_ *Run, r Row) string {
		if r.Benchmark.Message != "" || r.Benchmark.Verdict == v1alpha1.VerdictPass {
			return r.Benchmark.Message
		}
		return r.Node.Message
	}},
	{"outOfService", func(_ *Run, r Row) string { return strings.Join(r.Node.OutOfService.UUIDs(), " ") }},
}

// WriteCSV writes the rows of runs as one table.
func WriteCSV(w io.Writer, all []Report) error {
	rows := [][]string{list.Map(csvColumns, func(c csvColumn) string { return c.name })}
	for r := range list.Each(all) {
		for _, of := range r.Rows() {
			rows = append(rows, list.Map(csvColumns, func(c csvColumn) string { return export.Cell(c.cell(&r.Run, of)) }))
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}
