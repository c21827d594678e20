package page_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/assay-dev/assay/internal/export"
	"github.com/assay-dev/assay/internal/page"
	"github.com/assay-dev/assay/test/page/runs"
)

func TestWritePages(t *testing.T) {
	for name, r := range map[string][]export.Run{"demo": runs.Demo(), "recorded": {runs.Recorded()}, "simulated": {runs.Simulated(512)}, "s100": {runs.Simulated(100)}} {
		var out bytes.Buffer
		if err := page.Write(&out, r); err != nil {
			t.Fatal(err)
		}
		t.Log(name, out.Len())
		_ = os.WriteFile("/tmp/pagework/"+name+".html", out.Bytes(), 0o644)
	}
}
