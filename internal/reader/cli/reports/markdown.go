package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/report"
)

// writeMarkdown shows the report as a section of a Markdown document.
func writeMarkdown(w io.Writer, r *report.Report) error {
	fmt.Fprintf(w, "## %s\n\n", output.Escape(output.Clean(fmt.Sprintf("Validation run %s: %s", r.Run.Name, r.Run.Verdict))))
	header, rows := cells(r, true)
	output.WriteMarkdown(w, header, rows)
	for _, p := range append(scalings(r, true), explanations(r)...) {
		list := strings.Join(append([]string{p.title}, p.lines...), "\n- ")
		fmt.Fprintf(w, "\n%s\n", output.Escape(strings.ReplaceAll(list, "\n-   ", "\n  - ")))
	}
	_, err := fmt.Fprintf(w, "\n%s\n", output.Escape(strings.Join(Conclusion(r), "  \n")))
	return err
}
