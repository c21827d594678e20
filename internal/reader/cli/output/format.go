package output

import (
	"cmp"
	"strconv"

	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/export"
)

// Unknown stands for what the report does not know.
const Unknown = "-"

// Deviation in percent, with its sign.
func Deviation(v *float64) string {
	if v == nil {
		return Unknown
	}
	return quantity.SignedPercent(*v)
}

// Attempts, counted.
func Attempts(n int) string {
	if n == 0 {
		return Unknown
	}
	return strconv.Itoa(n)
}

// OrUnknown is a text made clean, or what stands for one that is not known.
func OrUnknown(text string) string { return cmp.Or(Clean(text), Unknown) }

// Clean makes one line of a message, without control characters and without those that turn the direction of writing: it may quote a
// program, and a terminal would obey.
func Clean(text string) string { return export.OneLine(text) }

// CleanAll lines in place: they may quote programs, nodes, and saved files.
func CleanAll(lines []string) []string {
	for i := range lines {
		lines[i] = Clean(lines[i])
	}
	return lines
}
