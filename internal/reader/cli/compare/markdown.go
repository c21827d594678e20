package compare

import (
	"fmt"
	"io"
	"strings"

	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/compare"
)

// sidesSaid says what was compared, and what was left out.
func sidesSaid(c *compare.Comparison) []string { return output.CleanAll(c.Sides()) }

// compareConclusion says what the rows do not, and what all of them come to.
func compareConclusion(c *compare.Comparison, wide bool) []string {
	return output.CleanAll(append(c.Notes(wide), c.Conclusion()...))
}

// writeCompareMarkdown shows the comparison as a section of a Markdown document.
func writeCompareMarkdown(w io.Writer, c *compare.Comparison, parts bool) error {
	fmt.Fprintf(w, "## %s\n\n%s\n", output.Escape(fmt.Sprintf("Comparison of %s with %s", output.Clean(c.B.Name), output.Clean(c.A.Name))),
		output.Escape(strings.Join(sidesSaid(c), "  \n")))
	for _, t := range compareTables(c, true, parts) {
		fmt.Fprintln(w)
		output.WriteMarkdown(w, t.header, t.rows)
	}
	_, err := fmt.Fprintf(w, "\n%s\n", output.Escape(strings.Join(compareConclusion(c, true), "  \n")))
	return err
}
