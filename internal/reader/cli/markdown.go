package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/reader/report"
)

// writeMarkdown shows the report as a section of a Markdown document.
func writeMarkdown(w io.Writer, r *report.Report) error {
	fmt.Fprintf(w, "## %s\n\n", escapeMarkdown(clean(message.ReportTitle(r.Run.Name, r.Run.Verdict))))
	header, rows := cells(r, true)
	markdownRow(w, header)
	fmt.Fprintln(w, strings.Repeat("| --- ", len(header))+"|")
	for _, row := range rows {
		markdownRow(w, row)
	}
	for _, p := range append(scalings(r, true), explanations(r)...) {
		fmt.Fprintf(w, "\n%s\n", escapeMarkdown(strings.Join(append([]string{p.title}, p.lines...), "\n- ")))
	}
	_, err := fmt.Fprintf(w, "\n%s\n", escapeMarkdown(strings.Join(conclusion(r), "  \n")))
	return err
}

func markdownRow(w io.Writer, cells []string) {
	for _, cell := range cells {
		fmt.Fprintf(w, "| %s ", escapeMarkdown(cell))
	}
	fmt.Fprintln(w, "|")
}

// escapeMarkdown keeps messages, which quote programs, from becoming markup.
func escapeMarkdown(text string) string { return markup.Replace(text) }

var markup = strings.NewReplacer("\\", "\\\\", "|", "\\|", "<", "&lt;", "*", "\\*", "`", "\\`", "[", "\\[")
