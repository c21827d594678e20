package page

import (
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// visible writes text in which nothing is hidden: characters that a reader cannot see, or that change the order in which others are
// read, appear as their numbers. Everything that is on the page passes through it, so no field can be forgotten.
type visible struct {
	to   io.Writer
	rest []byte // the beginning of a character that goes on in the next write
}

func (v *visible) Write(p []byte) (int, error) {
	all := append(v.rest, p...)
	out := make([]byte, 0, len(all)+64)
	for len(all) > 0 && (utf8.FullRune(all) || len(all) >= utf8.UTFMax) {
		r, size := utf8.DecodeRune(all)
		out = appendVisible(out, r)
		all = all[size:]
	}
	v.rest = append([]byte(nil), all...)
	_, err := v.to.Write(out)
	return len(p), err
}

// close writes what was left of half a character.
func (v *visible) close() error {
	if len(v.rest) == 0 {
		return nil
	}
	_, err := v.to.Write([]byte(string(utf8.RuneError)))
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
