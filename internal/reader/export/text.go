package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Steers says whether a terminal may obey a character, or turn the direction of what follows it.
func Steers(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

// OneLine makes one line of a text, without characters that steer: programs, nodes and saved files may have written it.
func OneLine(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case Steers(r):
			return -1
		default:
			return r
		}
	}, text)
}

// Cell is a text as CSV may have it, on one line. A spreadsheet runs a text that begins like a formula: such a text that is no number
// gets an apostrophe before it.
func Cell(text string) string {
	text = OneLine(text)
	begins := strings.TrimLeft(text, " ")
	if begins == "" || !strings.ContainsRune("=+-@", rune(begins[0])) {
		return text
	}
	if _, err := strconv.ParseFloat(begins, 64); err == nil {
		return text
	}
	return "'" + text
}

// Number is a number as CSV has it.
func Number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// Optional is a number as CSV has it; empty where it is not known.
func Optional(v *float64) string {
	if v == nil {
		return ""
	}
	return Number(*v)
}

// NewEncoder writes JSON in which characters that steer are escaped. encoding/json leaves those beyond ASCII as they are.
func NewEncoder(w io.Writer) *json.Encoder {
	encoder := json.NewEncoder(escaping{w})
	encoder.SetEscapeHTML(false)
	return encoder
}

// escaping takes JSON, a whole value at once, as json.Encoder writes it.
type escaping struct{ to io.Writer }

func (e escaping) Write(p []byte) (int, error) {
	steers := func(r rune) bool { return r >= unicode.MaxASCII && Steers(r) }
	if !bytes.ContainsFunc(p, steers) {
		return e.to.Write(p)
	}
	var escaped []byte
	for _, r := range string(p) {
		if steers(r) {
			escaped = fmt.Appendf(escaped, `\u%04x`, r)
		} else {
			escaped = utf8.AppendRune(escaped, r)
		}
	}
	_, err := e.to.Write(escaped)
	return len(p), err
}
