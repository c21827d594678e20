package output

import (
	"fmt"
	"io"
	"strings"
)

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
