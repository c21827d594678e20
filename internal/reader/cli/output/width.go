package output

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/moby/term"

	"github.com/assay-dev/assay/internal/list"
)

// widthOf the terminal that a writer is, in columns; 0: it is none, or does not tell.
func widthOf(w io.Writer) int {
	fd, is := Terminal(w)
	if !is {
		return 0
	}
	size, err := term.GetWinsize(fd)
	if err != nil {
		return 0
	}
	return int(size.Width)
}

// Terminal that a writer is.
func Terminal(w io.Writer) (fd uintptr, is bool) {
	fd, is = term.GetFdInfo(plain(w))
	return fd, is && os.Getenv("TERM") != "dumb"
}

const (
	between     = 3 // columns of a table
	leastColumn = 16
)

// Narrowing says how a table fits a terminal: in this order, as far as it takes.
type Narrowing struct {
	// First are the columns that are left out, Cut is one of which the cells lose their ends, and Then are left out in turn. After that the
	// cells of Keep lose their middle.
	First []string
	Cut   string
	Then  []string
	Keep  string
}

// fit a table into so many columns of a terminal; 0: it may be as wide as it is.
func (n Narrowing) fit(header []string, rows [][]string, width int) ([]string, [][]string) {
	if width == 0 {
		return header, rows
	}
	t := table{header, rows, width}
	t.leaveOut(n.First)
	t.shorten(n.Cut, func(cell []rune, room int) string { return string(cell[:room-3]) + "..." })
	t.leaveOut(n.Then)
	t.shorten(n.Keep, func(cell []rune, room int) string {
		return string(cell[:(room-3)/2]) + "..." + string(cell[len(cell)-(room-2)/2:])
	})
	return t.header, t.rows
}

type table struct {
	header []string
	rows   [][]string
	width  int
}

// over says by how many columns of the terminal the table is too wide.
func (t *table) over() int {
	all := between * (len(t.header) - 1)
	for i := range t.header {
		all += widest(t.header, t.rows, i)
	}
	return all - t.width
}

func (t *table) leaveOut(titles []string) {
	for _, title := range titles {
		i := slices.Index(t.header, title)
		if i < 0 || t.over() <= 0 {
			continue
		}
		t.header = slices.Delete(slices.Clone(t.header), i, i+1)
		t.rows = list.Map(t.rows, func(row []string) []string { return slices.Delete(slices.Clone(row), i, i+1) })
	}
}

func (t *table) shorten(title string, to func(cell []rune, room int) string) {
	i, over := slices.Index(t.header, title), t.over()
	if i < 0 || over <= 0 {
		return
	}
	room := max(leastColumn, widest(t.header, t.rows, i)-over)
	t.rows = list.Map(t.rows, func(row []string) []string {
		row = slices.Clone(row)
		if cell := []rune(Clean(row[i])); len(cell) > room {
			row[i] = to(cell, room)
		}
		return row
	})
}

func widest(header []string, rows [][]string, i int) int {
	n := utf8.RuneCountInString(header[i])
	for _, row := range rows {
		n = max(n, utf8.RuneCountInString(OrUnknown(row[i])))
	}
	return n
}

// Paragraph writes a text below what is there, folded where it is wider than the terminal.
func Paragraph(w io.Writer, text string) error {
	_, err := fmt.Fprintf(w, "\n%s\n", fold(Clean(text), widthOf(w)))
	return err
}

// fold a text between words where it is wider than a terminal; 0: not at all.
func fold(text string, width int) string {
	var out strings.Builder
	at := 0
	for i, word := range strings.Split(text, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case width > 0 && at+1+n > width:
			out.WriteByte('\n')
			at = 0
		default:
			out.WriteByte(' ')
			at++
		}
		out.WriteString(word)
		at += n
	}
	return out.String()
}
