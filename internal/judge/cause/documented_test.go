package cause

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/docs"
)

// TestEveryCauseIsDocumented: what it is called and what to do about it stand in the table of the docs.
func TestEveryCauseIsDocumented(t *testing.T) {
	page, err := docs.Pages.ReadFile("reasons.md")
	if err != nil {
		t.Fatal(err)
	}
	for kind, w := range wordsOf {
		_, row, found := strings.Cut(string(page), "\n| `"+string(kind)+"` | "+w.says+" | ")
		row, _, _ = strings.Cut(row, "\n")
		if !found || !strings.Contains(row, "| "+w.do+" |") {
			t.Errorf("docs/reasons.md has no row | `%s` | %s | ... | %s |", kind, w.says, w.do)
		}
	}
}

// What a program calls its GPU is no part of a command, unless it is a plain name.
func TestACommandIsNoPlaceForWhatAProgramSays(t *testing.T) {
	for uuid, want := range map[string]string{
		"GPU-4bce2a":      "nvidia-smi -q -d TEMPERATURE,PERFORMANCE -i GPU-4bce2a",
		"GPU-1; rm -rf /": "nvidia-smi -q -d TEMPERATURE,PERFORMANCE",
		"$(reboot)":       "nvidia-smi -q -d TEMPERATURE,PERFORMANCE",
		"-x":              "nvidia-smi -q -d TEMPERATURE,PERFORMANCE",
		"a\nb":            "nvidia-smi -q -d TEMPERATURE,PERFORMANCE",
		"":                "nvidia-smi -q -d TEMPERATURE,PERFORMANCE",
	} {
		f := Fault{Kind: Heat, UUIDs: []string{uuid}}
		if got := f.command(); got != want {
			t.Errorf("%q: %s", uuid, got)
		}
	}
}
