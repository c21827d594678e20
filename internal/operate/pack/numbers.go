package pack

import (
	"encoding/binary"
	"strconv"
	"strings"
)

// maxPacked is how many digits a number may have to be packed as one.
const maxPacked = 18

// nothing is the scale of a number that is not there: most of what is sampled has no spread.
const nothing = -1

// series packs numbers of like parts, one after the other: as programs print them, such as 51.069, each is its difference from the one
// before, and takes two or three bytes. The zero value is at its beginning, to pack as well as to unpack.
type series struct {
	// mantissa of the number before, and how many digits it has after the point.
	mantissa int64
	scale    int
}

// append the text of a number. The last bit of the difference says whether a byte follows: 0 for a text that is no such number, or two
// more than the digits after the point where they are not as many as before.
func (s *series) append(to []byte, text string) []byte {
	mantissa, scale, ok := cutPoint(text)
	if !ok {
		return appendMessage(append(binary.AppendVarint(to, 1), 0), text)
	}
	difference := 2 * (mantissa - s.mantissa)
	if scale == s.scale {
		to = binary.AppendVarint(to, difference)
	} else {
		to = append(binary.AppendVarint(to, difference+1), byte(scale+2))
	}
	s.mantissa, s.scale = mantissa, scale
	return to
}

// cut appends to a buffer the text of the number that some packed ones begin with, and returns what is left of both.
func (s *series) cut(text []byte, from string) (more []byte, rest string) {
	difference, used := varint(from)
	rest = from[used:]
	if difference&1 == 1 {
		digits := rest[0]
		if rest = rest[1:]; digits == 0 {
			as, rest := cutMessage(rest)
			return append(text, as...), rest
		}
		s.scale = int(digits) - 2
	}
	s.mantissa += difference >> 1
	return appendText(text, s.mantissa, s.scale), rest
}

// cutPoint takes a number apart, if it can be put together again to the same text.
func cutPoint(text string) (mantissa int64, scale int, ok bool) {
	if text == "" {
		return 0, nothing, true
	}
	if len(text) > maxPacked {
		return 0, 0, false
	}
	before, after, point := strings.Cut(text, ".")
	if point && after == "" {
		return 0, 0, false
	}
	mantissa, err := strconv.ParseInt(before+after, 10, 64)
	var again [2 * maxPacked]byte
	return mantissa, len(after), err == nil && string(appendText(again[:0], mantissa, len(after))) == text
}

// appendText writes a number with so many digits after the point.
func appendText(to []byte, mantissa int64, scale int) []byte {
	if scale == nothing {
		return to
	}
	if mantissa < 0 {
		to, mantissa = append(to, '-'), -mantissa
	}
	first := len(to)
	to = strconv.AppendInt(to, mantissa, 10)
	if scale == 0 {
		return to
	}
	for len(to)-first <= scale { // 0.005 has three digits after the point, and one before it
		to = append(to[:first], append([]byte{'0'}, to[first:]...)...)
	}
	at := len(to) - scale
	return append(to[:at], append([]byte{'.'}, to[at:]...)...)
}

// appendMessage packs any text.
func appendMessage(to []byte, text string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(text))), text...)
}

// cutMessage returns the text that some packed ones begin with, and what follows it.
func cutMessage(from string) (text, rest string) {
	n, used := uvarint(from)
	end := used + int(n)
	return from[used:end], from[end:]
}

func varint(from string) (int64, int) {
	return binary.Varint([]byte(from[:min(len(from), binary.MaxVarintLen64)]))
}

func uvarint(from string) (uint64, int) {
	return binary.Uvarint([]byte(from[:min(len(from), binary.MaxVarintLen64)]))
}
