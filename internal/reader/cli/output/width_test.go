package output

import (
	"bytes"
	"strings"
	"testing"
)

// A table that a terminal would fold loses what can be spared, then the end of one column; nothing where it is no terminal.
func TestATableFitsTheTerminal(t *testing.T) {
	for width, want := range map[int]string{
		0:   "node-1   triad 5.09 GB/s, 75% behind typical   assay.dev/unfit   gpu\n",
		100: "node-1   triad 5.09 GB/s, 75% behind typical   assay.dev/unfit   gpu\n",
		68:  "node-1   triad 5.09 GB/s, 75% behind typical   assay.dev/unfit\n",
		50:  "node-1   triad 5.09 GB/s, 75% behind typical\n",
		30:  "node-1   triad 5.09 GB/s, 7...\n",
		10:  "node-1   triad 5.09 GB...\n",
	} {
		header, rows := Fit([]string{"NODE", "WORST", "TAINT", "POLICY"},
			[][]string{{"node-1", "triad 5.09 GB/s, 75% behind typical", "assay.dev/unfit", "gpu"}}, width, "WORST", "POLICY", "TAINT")
		var out bytes.Buffer
		if err := Grid(&out, header, rows); err != nil {
			t.Fatal(err)
		}
		if line := strings.SplitAfter(out.String(), "\n")[1]; line != want {
			t.Errorf("%d columns: %q, want %q", width, line, want)
		}
	}
	if Width(&bytes.Buffer{}) != 0 {
		t.Error("a buffer is no terminal")
	}
}
