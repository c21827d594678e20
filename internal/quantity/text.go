package quantity

import "strings"

// Clip cuts a text to at most limit bytes, at a character's boundary, and shows that it did.
func Clip(text string, limit int) string {
	const mark = "..."
	if len(text) <= limit {
		return text
	}
	if limit < len(mark) {
		return mark[:max(0, limit)]
	}
	return strings.ToValidUTF8(text[:limit-len(mark)], "") + mark
}
