package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/export"
)

// csvColumns are those of the report's table, with plain numbers in the unit beside them.
var csvColumns = []struct {
	name string
	cell func(*Run, Row) string
}{
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
	out := csv.NewWriter(w)
	row := make([]string, len(csvColumns))
	for i, c := range csvColumns {
		row[i] = c.name
	}
	if err := out.Write(row); err != nil {
		return err
	}
	for i := range all {
		for _, of := range all[i].Rows() {
			for j, c := range csvColumns {
				row[j] = export.Cell(c.cell(&all[i].Run, of))
			}
			if err := out.Write(row); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}
