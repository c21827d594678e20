package verdict

import "strings"

// Clip cuts a text to at most limit bytes, at a character's boundary, and shows that it did.
func Clip(text string, limit int) string {
	const mark = "..."
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:max(0, limit-len(mark))], "") + mark
}

// partName names a part or a kind of part in a sentence.
func partName(at string) string {
	if at == "" {
		return "the node"
	}
	return at
}
