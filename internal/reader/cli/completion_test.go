package cli

import (
	"strings"
	"testing"
)

func TestCompletionOffersFormats(t *testing.T) {
	for command, formats := range map[string][]string{"report": formats, "export": exportFormats, "compare": compareFormats} {
		out, err := run(t, nil, "__complete", command, "-o", "")
		if want := strings.Join(formats, "\n") + "\n:4\n"; err != nil || out != want {
			t.Errorf("%s: error %v, got %q, want %q", command, err, out, want)
		}
	}
}
