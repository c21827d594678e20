package cli

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// screen shows progress: on a terminal the last line is rewritten, elsewhere each new line is printed once.
type screen struct {
	w        io.Writer
	terminal bool
	width    int
	last     string
}

func newScreen(w io.Writer) *screen {
	s := &screen{w: w}
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		s.terminal = true
		if width, _, err := term.GetSize(int(file.Fd())); err == nil {
			s.width = width
		}
	}
	return s
}

// print shows a line that stays.
func (s *screen) print(line string) {
	if s.terminal && s.last != "" {
		fmt.Fprint(s.w, "\r\033[K")
	}
	fmt.Fprintln(s.w, line)
	s.last = ""
}

// status shows where things stand, until the next line comes.
func (s *screen) status(line string) {
	if line == s.last {
		return
	}
	s.last = line
	if !s.terminal {
		fmt.Fprintln(s.w, line)
		return
	}
	if shown := []rune(line); s.width > 4 && len(shown) >= s.width {
		line = string(shown[:s.width-4]) + "..."
	}
	fmt.Fprint(s.w, "\r\033[K"+line)
}

// finish leaves the cursor on a line of its own.
func (s *screen) finish() {
	if s.terminal && s.last != "" {
		fmt.Fprintln(s.w)
	}
	s.last = ""
}
