package page

import (
	"bytes"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// write what a template shows, in which nothing is hidden: characters that a reader cannot see, or that change the order in which others are
// read, appear as their numbers. Everything that is on the page passes through here, so no field can be forgotten.
func write(w io.Writer, name string, shown any) error {
	var html bytes.Buffer
	if err := templates.ExecuteTemplate(&html, name, shown); err != nil {
		return err
	}
	out := make([]byte, 0, html.Len()+64)
	for html.Len() > 0 {
		r, _, _ := html.ReadRune() // U+FFFD of what is none
		out = appendVisible(out, r)
	}
	_, err := w.Write(out)
	return err
}

func appendVisible(out []byte, r rune) []byte {
	switch {
	case r == '\n' || r >= ' ' && r < 0x7f:
		return append(out, byte(r))
	case r == '\t' || r == '\r':
		return append(out, ' ')
	case hidden(r):
		return fmt.Appendf(out, "\u27e8U+%04X\u27e9", r)
	default:
		return utf8.AppendRune(out, r)
	}
}

// hidden characters: control and format characters (bidirectional overrides, joiners, tags), other spaces than the ordinary one,
// those that fonts may invent, and blanks that count as letters.
func hidden(r rune) bool {
	switch r {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180c, 0x180d, 0x180f, 0x2800, 0x3164, 0xffa0:
		return true
	}
	return !unicode.IsGraphic(r) || unicode.Is(unicode.Zs, r) && r != ' ' && r != 0xa0 || r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef
}
