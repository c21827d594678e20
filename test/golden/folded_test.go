package golden

import (
	"slices"
	"testing"
)

func TestLinesOfAnotherFileAreRecordedThere(t *testing.T) {
	base := Base{"base.golden", "title\n\na\nb\nc\nd\nend\n"}
	other := Base{"other.golden", "d\ne\nf\n"}
	got := lines("other title\n\na\nb\nc\nd\nend\n\na\nb\nx\nd\ne\nf\nend")
	folded := foldedBeside([]Base{base, other}, got)
	if len(folded) != len(got)-4-2 || !slices.Contains(folded, "[5 lines of base.golden, from here] a\n") {
		t.Errorf("folded: %q", folded)
	}
	if all := unfoldedBeside([]Base{base, other}, folded); !slices.Equal(all, got) {
		t.Errorf("unfolded: %q", all)
	}
	base.Text = "title\n\na\nb\n"
	if all := unfoldedBeside([]Base{base, other}, folded); slices.Equal(all, got) {
		t.Error("lines that the other file lost are not missed")
	}
}

func TestFoldedJSONHoldsItsIndentation(t *testing.T) {
	const long = `"a text for which one line has no room, together with what stands beside it, and with all the braces and brackets around it, is this one"`
	for text, want := range map[string]string{
		"{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}\n":   "{\"a\": [1, 2], \"b\": {}}\n",
		"{\n  \"a\": [\n    1\n  ],\n  \"b\": " + long + "\n}\n": "{\n  \"a\": [1],\n  \"b\": " + long + "\n}\n",
		"{\n \"a\": 1\n}\n": "{\n \"a\": 1\n}\n",
	} {
		if got := FoldJSON(text); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	}
}
