package output

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/list"
)

// Grid writes a table for people. What stands in its cells may come from a program, and is made harmless here.
func Grid(w io.Writer, header []string, rows [][]string) error {
	widths := make([]int, len(header))
	for i := range header {
		widths[i] = widest(header, rows, i)
	}
	var out strings.Builder
	line := func(cells []string) {
		for i, cell := range cells {
			if verdictColumns[header[i]] {
				out.WriteString(paint(w, cell))
			} else {
				out.WriteString(cell)
			}
			if i < len(cells)-1 {
				out.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+between))
			}
		}
		out.WriteByte('\n')
	}
	line(header)
	for _, row := range rows {
		line(list.Map(row, OrUnknown))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// WriteMarkdown writes a table of a Markdown document.
func WriteMarkdown(w io.Writer, header []string, rows [][]string) {
	markdownRow(w, header)
	fmt.Fprintln(w, strings.Repeat("| --- ", len(header))+"|")
	for _, row := range rows {
		markdownRow(w, row)
	}
}

func markdownRow(w io.Writer, cells []string) {
	for _, cell := range cells {
		fmt.Fprintf(w, "| %s ", Escape(cell))
	}
	fmt.Fprintln(w, "|")
}

// Escape keeps messages, which quote programs, from becoming markup.
func Escape(text string) string { return markup.Replace(text) }

var markup = strings.NewReplacer("\\", "\\\\", "|", "\\|", "<", "&lt;", "*", "\\*", "`", "\\`", "[", "\\[")
