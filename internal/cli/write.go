package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Formats of the report.
const (
	formatTable    = "table"
	formatWide     = "wide"
	formatJSON     = "json"
	formatMarkdown = "markdown"
)

// Write shows the report in one of the formats.
func (r *Report) Write(w io.Writer, format string) error {
	switch format {
	case formatTable, formatWide:
		return r.WriteTable(w, format == formatWide)
	case formatJSON:
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(r)
	case formatMarkdown:
		return r.WriteMarkdown(w)
	default:
		return fmt.Errorf("unknown output format %q: use %s", format,
			strings.Join([]string{formatTable, formatWide, formatJSON, formatMarkdown}, ", "))
	}
}

// WriteMarkdown shows the report as a section of a Markdown document.
func (r *Report) WriteMarkdown(w io.Writer) error {
	fmt.Fprintf(w, "## Validation run %s: %s\n\n", r.Run.Name, r.Run.Verdict)
	header, rows := r.cells(true)
	markdownRow(w, header)
	fmt.Fprintln(w, strings.Repeat("| --- ", len(header))+"|")
	for _, row := range rows {
		markdownRow(w, row)
	}
	for _, text := range r.explanations() {
		fmt.Fprintf(w, "\n%s\n", escapeMarkdown(strings.ReplaceAll(text, "\n  ", "\n- ")))
	}
	_, err := fmt.Fprintf(w, "\n%s\n", escapeMarkdown(strings.ReplaceAll(r.verdictText(), "\n", "  \n")))
	return err
}

func markdownRow(w io.Writer, cells []string) {
	for _, cell := range cells {
		fmt.Fprintf(w, "| %s ", escapeMarkdown(cell))
	}
	fmt.Fprintln(w, "|")
}

// escapeMarkdown keeps messages, which quote programs, from becoming markup.
func escapeMarkdown(text string) string {
	return strings.NewReplacer("|", "\\|", "<", "&lt;", "*", "\\*", "`", "\\`").Replace(text)
}
