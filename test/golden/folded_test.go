package golden

import (
	"slices"
	"strings"
	"testing"
)

func TestLinesOfAnotherFileAreRecordedThere(t *testing.T) {
	there := lines("title\n\na\nb\nc\nd\nend\n")
	got := lines("other title\n\na\nb\nc\nd\nend\n\na\nb\nx\nd\nend")
	folded := foldedBeside("base.golden", there, got)
	if len(folded) != len(got)-4 || !slices.Contains(folded, "[5 lines of base.golden, from here] a\n") {
		t.Errorf("folded: %q", folded)
	}
	if all := unfoldedBeside("base.golden", there, folded); !slices.Equal(all, got) {
		t.Errorf("unfolded: %q", all)
	}
	if all := unfoldedBeside("base.golden", there[:4], folded); slices.Equal(all, got) {
		t.Error("lines that the other file lost are not missed")
	}
}

func TestFoldedJSONHoldsItsIndentation(t *testing.T) {
	const long = `"a text for which one line has no room, together with what stands beside it, and with all the braces and brackets around it, is this one"`
	for text, want := range map[string]string{
		"{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}\n": "{\"a\": [1, 2], \"b\": {}}\n",
		"{\n  \"a\": [\n    1\n  ],\n  \"b\": " + long + "\n}\n": "{\n  \"a\": [1],\n  \"b\": " + long + "\n}\n",
		"{\n \"a\": 1\n}\n": "{\n \"a\": 1\n}\n",
	} {
		if got := strings.Join(foldedJSON(strings.Split(text, "\n")), "\n"); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	}
}
