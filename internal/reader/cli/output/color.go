package output

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// When words have colours.
const (
	ColorAuto   = "auto"
	ColorAlways = "always"
	ColorNever  = "never"
)

// Colors are the values of --color.
var Colors = []string{ColorAuto, ColorAlways, ColorNever}

// colored is a writer to which verdicts are written in colour.
type colored struct{ io.Writer }

// Colored makes a writer of one, to which verdicts are written in colour: where it is asked for, or where it is a terminal and the variable
// NO_COLOR is not set (no-color.org).
func Colored(w io.Writer, when string) (io.Writer, error) {
	_, is := Terminal(w)
	switch {
	case when == ColorAlways, when == ColorAuto && is && os.Getenv("NO_COLOR") == "":
		return colored{plain(w)}, nil
	case when == ColorAuto || when == ColorNever:
		return plain(w), nil
	}
	return nil, fmt.Errorf("unknown --color=%s: choose one of %s", when, strings.Join(Colors, ", "))
}

// plain is a writer without its colours.
func plain(w io.Writer) io.Writer {
	if c, is := w.(colored); is {
		return c.Writer
	}
	return w
}

// Colours that every terminal has, and that are told apart on light and dark ground; red and green are never told by colour alone.
const (
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	reset  = "\x1b[0m"
)

// colors of verdicts, of the states of nodes, and of what doctor finds. Skipped and Pending say nothing of a node.
var colors = map[string]string{
	"Fail": red, "Failed": red, "Unfit": red, "FAIL": red,
	"Error": yellow, "Missing": yellow, "Inconclusive": yellow, "Unmeasured": yellow, "Overdue": yellow, "Expired": yellow,
	"NeverValidated": yellow, "warn": yellow, "?": yellow,
	"Pass": green, "Passed": green, "ok": green,
}

// verdictColumns are the columns of tables that hold such words.
var verdictColumns = map[string]bool{"VERDICT": true, "STATE": true, "STATUS": true}

// paint a cell that is a verdict, if the writer has colours.
func paint(w io.Writer, cell string) string {
	color := colors[cell]
	if _, is := w.(colored); !is || color == "" {
		return cell
	}
	return color + cell + reset
}

// verdicts in sentences stand after what they are about and a colon. No name of an object has a capital letter.
var verdicts = regexp.MustCompile(`: (Pass|Fail|Error|Missing|Inconclusive)\b`)

// PaintVerdict paints the first verdict of a text.
func PaintVerdict(w io.Writer, text string) string {
	at := verdicts.FindStringSubmatchIndex(text)
	if at == nil {
		return text
	}
	return text[:at[2]] + paint(w, text[at[2]:at[3]]) + text[at[3]:]
}
