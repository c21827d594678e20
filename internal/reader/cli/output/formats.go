// Package output is how commands write: formats, tables and exit codes. What it writes may quote programs, and is made harmless on the way.
package output

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/reader/export"
)

// Formats of what commands show.
const (
	Table       = "table"
	Wide        = "wide"
	JSON        = "json"
	YAML        = "yaml"
	Name        = "name"
	CSV         = "csv"
	Markdown    = "markdown"
	JUnit       = "junit"
	HTML        = "html"
	Lines       = "jsonl"
	OpenMetrics = "openmetrics"
)

// Choose makes sure that a format is one of those known.
func Choose(format string, known ...string) error {
	if !slices.Contains(known, format) {
		return fmt.Errorf("unknown output format %q: choose one of %s", format, strings.Join(known, ", "))
	}
	return nil
}

// WriteJSON writes a document for programs, indented.
func WriteJSON(w io.Writer, document any) error {
	out := export.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(document)
}

// Between two of those that are shown one after the other stands an empty line.
func Between(w io.Writer, i int) {
	if i > 0 {
		fmt.Fprintln(w)
	}
}
