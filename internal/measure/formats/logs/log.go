// Package logs reads what programs of others print: hostile text, line by line.
package logs

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/measure/result"
)

// Kind of line: how it looks, and what is done with what its pattern finds.
type Kind struct {
	// Begins is how such a line begins: one that does, and does not match the pattern, is cut off or garbled. Pattern nil: it may go on as it likes.
	Begins  string
	Pattern *regexp.Regexp
	// If is false where no line is of this kind. Nil: it is always true.
	If   *bool
	Read func(found []string) error
}

// Kinds of line of one format. A line is of the first kind that it looks like; one that looks like none says nothing.
type Kinds []Kind

// Read the lines, and refuse what lacks something at its end.
func (k Kinds) Read(lines []string, complete func() error, document func() result.Document) (result.Document, error) {
	for _, line := range lines {
		if err := k.Take(line); err != nil {
			return result.Document{}, err
		}
	}
	if err := complete(); err != nil {
		return result.Document{}, err
	}
	return document(), nil
}

// Each line is read without the spaces around it, and then all is put into a document.
func Each(lines []string, read func(line string) error, document func() (result.Document, error)) (result.Document, error) {
	for _, line := range lines {
		if err := read(strings.TrimSpace(line)); err != nil {
			return result.Document{}, err
		}
	}
	return document()
}

// Take the next line.
func (k Kinds) Take(line string) error {
	for _, kind := range k {
		if kind.If != nil && !*kind.If || !strings.HasPrefix(line, kind.Begins) {
			continue
		}
		found := []string{line}
		if kind.Pattern != nil {
			found = kind.Pattern.FindStringSubmatch(line)
		}
		switch {
		case found != nil:
			return kind.Read(found)
		case kind.Begins != "":
			return result.Bad("the line %s is cut off or garbled", result.Quote(line))
		}
	}
	return nil
}

// Line is for what reads a line as a whole.
func Line(read func(line string) error) func([]string) error {
	return func(found []string) error { return read(found[0]) }
}

// Text keeps what the first group found.
func Text(to *string) func([]string) error {
	return func(found []string) error {
		*to = found[1]
		return nil
	}
}

// Count keeps the whole number that the first group found.
func Count(to *int64) func([]string) error {
	return func(found []string) error {
		if n, err := strconv.ParseInt(found[1], 10, 64); err == nil {
			*to = n
		}
		return nil
	}
}

// Parameters keeps the numbers that the groups found under these names.
func Parameters(to map[string]any, names ...string) func([]string) error {
	return func(found []string) error {
		for i, name := range names {
			if value, err := strconv.ParseFloat(found[i+1], 64); err == nil {
				to[name] = result.Number(value)
			}
		}
		return nil
	}
}

// Figure keeps the number that the first group found; wrong says what was read where it is none.
func Figure(to *float64, wrong string) func([]string) error {
	return func(found []string) error {
		value, err := Number(found[1])
		if err != nil {
			return fmt.Errorf(wrong, result.Quote(found[0]), err)
		}
		*to = value
		return nil
	}
}

// Tally counts the lines.
func Tally(n *int) func([]string) error {
	return func([]string) error {
		*n++
		return nil
	}
}

// Refuse the output, in words about what the first group found.
func Refuse(why string) func([]string) error {
	return func(found []string) error { return result.Bad(why, result.Quote(found[1])) }
}
