// Package logs reads what programs of others print: hostile text, line by line.
package logs

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/result"
)

// Kind of line: how it looks, and what is done with what its pattern finds.
type Kind struct {
	// Begins is how such a line begins: one that does, and does not match the pattern, is cut off or garbled. Empty, the pattern matches any line.
	Begins, Pattern string
	// If is false where no line is of this kind. Nil: it is always true.
	If *bool
	// Note what cannot be wrong, or Read what can. Nil, both: the line says nothing.
	Note func(found []string)
	Read func(found []string) error
}

// Kinds of line of one format. A line is of the first kind that it looks like; one that looks like none says nothing.
type Kinds []Kind

// Log is what was read of a program's output: a document in the making.
type Log struct {
	result.Document

	wrong error // with the first figure that is none
}

// Read the lines by their kinds, and then take the steps by which a document comes of them. What lacks something at its end is refused.
func (l *Log) Read(benchmark string, lines []string, kinds Kinds, steps ...func() error) (result.Document, error) {
	l.Schema, l.Benchmark = result.Schema, benchmark
	patterns := list.Map(kinds, func(k Kind) *regexp.Regexp { return regexp.MustCompile(k.Pattern) })
	for _, line := range lines {
		if err := l.refused(kinds.take(line, patterns)); err != nil {
			return result.Document{}, err
		}
	}
	for _, step := range steps {
		if err := l.refused(step()); err != nil {
			return result.Document{}, err
		}
	}
	return l.Document, nil
}

// refused says why the log is: by its first figure that is none, or else as a line of it or a step does.
func (l *Log) refused(err error) error { return cmp.Or(l.wrong, err) }

// Figure that a text is; wrong says what it was to be, and of what, where it is none.
func (l *Log) Figure(read func(text string) (float64, error), text, wrong string, of ...any) float64 {
	value, err := read(text)
	if err != nil && l.wrong == nil {
		l.wrong = fmt.Errorf(wrong, append(of, err)...)
	}
	return value
}

// Keep the figure that the first group found; wrong says of which line where it is none.
func (l *Log) Keep(to *float64, read func(text string) (float64, error), wrong string) func([]string) {
	return func(found []string) { *to = l.Figure(read, found[1], wrong, result.Quote(found[0])) }
}

// Setting keeps the numbers that the groups found under these names. 0 is none.
func (l *Log) Setting(names ...string) func([]string) {
	return func(found []string) {
		for i, name := range names {
			if n, err := strconv.ParseInt(found[i+1], 10, 64); err == nil {
				l.AddCount(name, n)
			}
		}
	}
}

// Words keeps the text that the first group found under this name.
func (l *Log) Words(name string) func([]string) {
	return func(found []string) { l.AddParameter(name, found[1]) }
}

// take the next line.
func (k Kinds) take(line string, patterns []*regexp.Regexp) error {
	for i, kind := range k {
		if kind.If != nil && !*kind.If || !strings.HasPrefix(line, kind.Begins) {
			continue
		}
		found := patterns[i].FindStringSubmatch(line)
		switch {
		case found == nil && kind.Begins == "":
			continue
		case found == nil:
			return result.Bad("the line %s is cut off or garbled", result.Quote(line))
		}
		found[0] = line
		if kind.Note != nil {
			kind.Note(found)
		}
		if kind.Read != nil {
			return kind.Read(found)
		}
		return nil
	}
	return nil
}

// Line is for what reads a line as a whole.
func Line(read func(line string) error) func([]string) error {
	return func(found []string) error { return read(found[0]) }
}

// Text keeps what the first group found.
func Text(to *string) func([]string) { return func(found []string) { *to = found[1] } }

// Count keeps the whole number that the first group found.
func Count(to *int64) func([]string) {
	return func(found []string) {
		if n, err := strconv.ParseInt(found[1], 10, 64); err == nil {
			*to = n
		}
	}
}

// Tally counts the lines.
func Tally(n *int) func([]string) { return func([]string) { *n++ } }

// Refuse the output, in words about what the group found, or about the line.
func Refuse(why string) func([]string) error {
	return func(found []string) error { return result.Bad(why, result.Quote(found[len(found)-1])) }
}
