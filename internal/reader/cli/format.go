package cli

import (
	"cmp"
	"strconv"

	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/reader/report"
)

// unknown stands for what the report does not know.
const unknown = "-"

// value of a metric, as messages about it write it.
func value(m *report.Metric) string {
	if m.Value == nil {
		return unknown
	}
	return scale(m).Format(*m.Value)
}

// expected is in the unit of the value.
func expected(m *report.Metric) string {
	if m.Expected == nil {
		return unknown
	}
	return scale(m).Format(*m.Expected)
}

// scale in which the value and what was expected can be told apart.
func scale(m *report.Metric) quantity.Scale {
	var both []float64
	for _, v := range []*float64{m.Value, m.Expected} {
		if v != nil {
			both = append(both, *v)
		}
	}
	return quantity.NewScale(m.Unit, both...)
}

func percent(v *float64) string {
	if v == nil {
		return unknown
	}
	return quantity.Percent(*v)
}

func deviation(v *float64) string {
	if v == nil {
		return unknown
	}
	return quantity.SignedPercent(*v)
}

func attempts(n int) string {
	if n == 0 {
		return unknown
	}
	return strconv.Itoa(n)
}

func orUnknown(text string) string { return cmp.Or(clean(text), unknown) }

// clean makes one line of a message, without control characters and without those that turn the direction of writing: it may quote a
// program, and a terminal would obey.
func clean(text string) string { return export.OneLine(text) }
