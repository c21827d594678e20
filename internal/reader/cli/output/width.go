package output

import (
	"io"
	"os"
	"slices"
	"unicode/utf8"

	"github.com/moby/term"
)

// Width of the terminal that a writer is, in columns; 0: it is none, or does not tell.
func Width(w io.Writer) int {
	fd, is := term.GetFdInfo(w)
	if !is || os.Getenv("TERM") == "dumb" {
		return 0
	}
	size, err := term.GetWinsize(fd)
	if err != nil {
		return 0
	}
	return int(size.Width)
}

const (
	between     = 3 // columns of a table
	leastColumn = 16
)

// Fit a table into so many columns of a terminal, as far as that goes: those that can be spared are left out, one by one, then the cells of
// one column are cut. 0: it may be as wide as it is.
func Fit(header []string, rows [][]string, width int, cut string, spared ...string) ([]string, [][]string) {
	if width == 0 {
		return header, rows
	}
	for _, title := range spared {
		i := slices.Index(header, title)
		if i < 0 || columns(header, rows) <= width {
			continue
		}
		header = slices.Delete(slices.Clone(header), i, i+1)
		for k := range rows {
			rows[k] = slices.Delete(rows[k], i, i+1)
		}
	}
	i, over := slices.Index(header, cut), columns(header, rows)-width
	if i < 0 || over <= 0 {
		return header, rows
	}
	room := max(leastColumn, widest(header, rows, i)-over)
	for _, row := range rows {
		if cell := []rune(Clean(row[i])); len(cell) > room {
			row[i] = string(cell[:room-3]) + "..."
		}
	}
	return header, rows
}

// columns that a table takes.
func columns(header []string, rows [][]string) int {
	all := between * (len(header) - 1)
	for i := range header {
		all += widest(header, rows, i)
	}
	return all
}

func widest(header []string, rows [][]string, i int) int {
	n := utf8.RuneCountInString(header[i])
	for _, row := range rows {
		n = max(n, utf8.RuneCountInString(OrUnknown(row[i])))
	}
	return n
}
