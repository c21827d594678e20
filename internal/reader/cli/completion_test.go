package cli

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/reader/cli/compare"
	"github.com/assay-dev/assay/internal/reader/cli/reports"
)

func TestCompletionOffersFormats(t *testing.T) {
	for command, formats := range map[string][]string{"report": reports.Formats, "export": reports.ExportFormats, "compare": compare.Formats} {
		out, err := run(t, nil, "__complete", command, "-o", "")
		if want := strings.Join(formats, "\n") + "\n:4\n"; err != nil || out != want {
			t.Errorf("%s: error %v, got %q, want %q", command, err, out, want)
		}
	}
}
