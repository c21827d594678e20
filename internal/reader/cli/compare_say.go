package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/reader/compare"
)

// sidesSaid says what was compared, and what was left out.
func sidesSaid(c *compare.Comparison) []string { return cleanAll(c.Sides()) }

// compareConclusion says what the rows do not, and what all of them come to.
func compareConclusion(c *compare.Comparison, wide bool) []string {
	return cleanAll(append(c.Notes(wide), c.Conclusion()...))
}

// writeCompareMarkdown shows the comparison as a section of a Markdown document.
func writeCompareMarkdown(w io.Writer, c *compare.Comparison, parts bool) error {
	fmt.Fprintf(w, "## %s\n\n%s\n", escapeMarkdown(message.CompareTitle(clean(c.A.Name), clean(c.B.Name))),
		escapeMarkdown(strings.Join(sidesSaid(c), "  \n")))
	markdownTable := func(header []string, rows [][]string) {
		if len(rows) == 0 {
			return
		}
		fmt.Fprintln(w)
		markdownRow(w, header)
		fmt.Fprintln(w, strings.Repeat("| --- ", len(header))+"|")
		for _, row := range rows {
			markdownRow(w, row)
		}
	}
	markdownTable(configurationCells(c))
	markdownTable(compareCells(c, true))
	if parts {
		markdownTable(partCells(c))
	}
	_, err := fmt.Fprintf(w, "\n%s\n", escapeMarkdown(strings.Join(compareConclusion(c, true), "  \n")))
	return err
}
