package output

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/reader/export"
)

// List is what a command lists, for every format of Lists.
type List struct {
	// Document of json and yaml, and Names of name.
	Document any
	Names    []string
	// CSV has a header and plain numbers.
	CSV [][]string
	// Header and Rows of wide; the table has the first Narrow columns, as far as the terminal has room: Narrowing says what it can do without.
	Header    []string
	Rows      [][]string
	Narrow    int
	Narrowing Narrowing
	// Below the table stands a line, and None where there are no rows.
	Below, None string
}

// Write the list in a format.
func (l *List) Write(w io.Writer, format string) error {
	switch format {
	case JSON, YAML:
		return WriteDocument(w, l.Document, format)
	case Name:
		for _, name := range l.Names {
			fmt.Fprintln(w, Clean(name))
		}
		return nil
	case CSV:
		return WriteCSV(w, l.CSV)
	}
	if len(l.Rows) == 0 {
		_, err := fmt.Fprintln(w, l.None)
		return err
	}
	header, rows := l.Header, l.Rows
	if format == Table {
		header, rows = l.Fit(widthOf(w))
	}
	if err := Grid(w, header, rows); err != nil || l.Below == "" {
		return err
	}
	return Paragraph(w, l.Below)
}

// Fit the table into so many columns of a terminal, without those that only wide has; 0: it may be as wide as it is.
func (l *List) Fit(width int) (header []string, rows [][]string) {
	for _, row := range l.Rows {
		rows = append(rows, row[:l.Narrow])
	}
	return l.Narrowing.fit(l.Header[:l.Narrow], rows, width)
}

// Column of a table that is made of values.
type Column[T any] struct {
	Title string
	Wide  bool // only wide has it
	Cell  func(T) string
}

// Cells are header and rows of such a table.
func Cells[T any](columns []Column[T], wide bool, of []T) (header []string, rows [][]string) {
	shown := list.Where(columns, func(c Column[T]) bool { return wide || !c.Wide })
	header = list.Map(shown, func(c Column[T]) string { return c.Title })
	return header, list.Map(of, func(one T) []string {
		return list.Map(shown, func(c Column[T]) string { return OrUnknown(c.Cell(one)) })
	})
}

// WriteCSV writes rows for a spreadsheet, which takes none of their cells for a formula.
func WriteCSV(w io.Writer, rows [][]string) error {
	for _, row := range rows {
		for i := range row {
			row[i] = export.Cell(row[i])
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

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
