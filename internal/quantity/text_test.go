package quantity

import (
	"testing"
)

func TestClip(t *testing.T) {
	for text, want := range map[string]string{"short": "short", "exactly10.": "exactly10.", "longer than ten": "longer ...", "ääääääää": "äää..."} {
		if got := Clip(text, 10); got != want {
			t.Errorf("Clip(%q, 10) = %q, want %q", text, got, want)
		}
	}
	for limit, want := range map[int]string{-1: "", 0: "", 2: "..", 3: "...", 4: "l..."} {
		if got := Clip("longer", limit); got != want {
			t.Errorf("Clip to %d bytes is %q, want %q", limit, got, want)
		}
	}
}
