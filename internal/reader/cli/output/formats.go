// Package output is how commands write: formats, tables and exit codes. What it writes may quote programs, and is made harmless on the way.
package output

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

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

// Formats that a command can show, the default first.
type Formats []string

// Lists is what every command shows that lists things.
var Lists = Formats{Table, Wide, JSON, YAML, Name, CSV}

// Flag adds -o to a command, which makes sure of its value before it runs.
func (f Formats) Flag(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVarP(format, "output", "o", f[0], "Output `format`: "+strings.Join(f, ", "))
	if err := cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(f, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the command has the flag twice
	}
	cmd.PreRunE = func(*cobra.Command, []string) error { return Choose(*format, f...) }
}

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

// WriteDocument writes what JSON has, as that or as YAML.
func WriteDocument(w io.Writer, document any, format string) error {
	if format != YAML {
		return WriteJSON(w, document)
	}
	var text strings.Builder
	if err := WriteJSON(&text, document); err != nil {
		return err
	}
	out, err := yaml.JSONToYAML([]byte(text.String()))
	if err != nil {
		return fmt.Errorf("writing YAML: %w", err)
	}
	_, err = w.Write(out)
	return err
}

// Between two of those that are shown one after the other stands an empty line.
func Between(w io.Writer, i int) {
	if i > 0 {
		fmt.Fprintln(w)
	}
}
