package runs

import (
	"io"
	"strings"

	"github.com/moby/term"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/reader/cli/output"
)

// screen shows progress. Elsewhere than on a terminal, each new line is printed once. On a terminal, a block of lines at its end is
// drawn again and again, and lines that stay scroll up above it.
type screen struct {
	w io.Writer
	// size of the terminal now, in columns and rows; nil: w is no terminal.
	size func() (width, height int)
	// drawn are the lines of the block that is on the terminal.
	drawn []string
	// last line of where things stand, where there is no terminal.
	last string
}

// Sequences that every terminal obeys.
const (
	lineUp   = "\x1b[A"
	toEnd    = "\r\x1b[J" // clear from here to the end of the terminal
	cutLines = "\x1b[?7l" // what is wider than the terminal is cut off
	foldThem = "\x1b[?7h" // and this ends it
)

// The size of a terminal that does not tell it.
const usualWidth, usualHeight = 80, 24

func newScreen(w io.Writer) *screen {
	s := &screen{w: w}
	if fd, is := output.Terminal(w); is {
		s.size = func() (int, int) {
			if size, err := term.GetWinsize(fd); err == nil && size.Width > 0 && size.Height > 0 {
				return int(size.Width), int(size.Height)
			}
			return usualWidth, usualHeight
		}
	}
	return s
}

func (s *screen) terminal() bool { return s.size != nil }

// print shows lines that stay. On a terminal the block is gone then, until it is drawn again.
func (s *screen) print(lines ...string) {
	if len(lines) > 0 {
		s.write(s.cleared() + strings.Join(lines, "\n") + "\n")
		s.last = ""
	}
}

// status shows where things stand where there is no terminal, if that has changed.
func (s *screen) status(line string) {
	if line != s.last {
		s.last = line
		s.write(line + "\n")
	}
}

// draw shows lines that stay, and below them the block. All of it is one write, so that nothing flickers.
func (s *screen) draw(stay, block []string) {
	width, height := s.size()
	text := s.cleared()
	for _, line := range stay {
		text += line + "\n"
	}
	s.drawn = list.Map(block[:min(len(block), max(1, height-1))], func(line string) string { return shorten(line, width-1) })
	s.write(text + cutLines + strings.Join(s.drawn, "\n") + foldThem)
}

// finish takes the block away. What stays is above.
func (s *screen) finish() {
	if s.terminal() {
		s.write(s.cleared())
	}
}

// cleared goes back to where the block began. A terminal that became narrower since has folded its lines; what left one that became lower
// than the block stays.
func (s *screen) cleared() string {
	if len(s.drawn) == 0 {
		return ""
	}
	width, _ := s.size()
	rows := 0
	for _, line := range s.drawn {
		rows += max(1, (len([]rune(line))+width-1)/max(1, width))
	}
	s.drawn = nil
	return strings.Repeat(lineUp, rows-1) + toEnd
}

// shorten a line to so many characters.
func shorten(line string, width int) string {
	runes := []rune(line)
	if width < 4 || len(runes) <= width {
		return line
	}
	return string(runes[:width-3]) + "..."
}

func (s *screen) write(text string) { _, _ = io.WriteString(s.w, text) }
