// Package output is how commands write: formats, tables and exit codes. What it writes may quote programs, and is made harmless on the way.
package output

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/cli/completion"
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
	completion.Flag(cmd, "output", completion.Fixed(f...))
	cmd.PreRunE = func(*cobra.Command, []string) error { return f.Check(*format) }
}

// Check that a format is one of these.
func (f Formats) Check(format string) error {
	if !slices.Contains(f, format) {
		return fmt.Errorf("unknown output format %q: choose one of %s", format, strings.Join(f, ", "))
	}
	return nil
}

// writeJSON writes a document for programs, indented.
func writeJSON(w io.Writer, document any) error {
	out := export.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(document)
}

// WriteDocument writes what JSON has, as that or as YAML.
func WriteDocument(w io.Writer, document any, format string) error {
	if format != YAML {
		return writeJSON(w, document)
	}
	var text strings.Builder
	if err := writeJSON(&text, document); err != nil {
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

// Unknown stands for what the report does not know.
const Unknown = "-"

// Known is a number as it is written, or what stands for one that is not known.
func Known(v *float64, write func(float64) string) string {
	if v == nil {
		return Unknown
	}
	return write(*v)
}

// Deviation in percent, with its sign.
func Deviation(v *float64) string { return Known(v, quantity.SignedPercent) }

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

// Exit codes. Whatever proves the nodes neither fit nor unfit is Undecided.
const (
	Pass      = 0
	Fail      = 1
	Undecided = 2
)

// ExitError ends the program with a code after everything was said.
type ExitError struct{ Code int }

func (e *ExitError) Error() string { return fmt.Sprintf("exit code %d", e.Code) }

// Ended is how a run ended, by the exit code; nil: it passed.
func Ended(run *v1alpha1.ValidationRun) error {
	switch {
	case run.Finished() && run.Status.Verdict == v1alpha1.VerdictPass:
		return nil
	case run.Finished() && run.Status.Verdict == v1alpha1.VerdictFail:
		return &ExitError{Code: Fail}
	}
	return &ExitError{Code: Undecided}
}
