package result

import (
	"encoding/binary"
	"strconv"
	"strings"
)

// maxPacked is how many digits a number may have to be packed as one.
const maxPacked = 18

// appendNumber packs the text of a number: into a few bytes where it is as programs print it, such as 51.069, and as it is where it is not.
// The first byte says which: 0 for a text, or one more than the digits after the point.
func appendNumber(to []byte, text string) []byte {
	if mantissa, scale, ok := cutPoint(text); ok {
		return binary.AppendVarint(append(to, byte(scale)+1), mantissa)
	}
	return appendMessage(append(to, 0), text)
}

// cutPoint takes a number apart, if it can be put together again to the same text.
func cutPoint(text string) (mantissa int64, scale int, ok bool) {
	if text == "" || len(text) > maxPacked {
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

// cutNumber appends to a buffer the text of the number that some packed ones begin with, and returns what is left of both.
func cutNumber(text []byte, from string) (more []byte, rest string) {
	if from[0] == 0 {
		as, rest := cutMessage(from[1:])
		return append(text, as...), rest
	}
	v, used := varint(from[1:])
	return appendText(text, v, int(from[0])-1), from[1+used:]
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
