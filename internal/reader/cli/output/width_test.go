package output

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

var narrowing = Narrowing{First: []string{"POLICY", "TAINT"}, Cut: "WORST", Then: []string{"WORST"}, Keep: "NODE"}

// A table that a terminal would fold loses what can be spared; nothing where it is no terminal.
func TestATableFitsTheTerminal(t *testing.T) {
	const name = "gpu-0017.eu-central-1.example.com"
	for width, want := range map[int]string{
		0:   name + "   triad 5.09 GB/s, 75% behind typical   assay.dev/unfit   gpu\n",
		100: name + "   triad 5.09 GB/s, 75% behind typical   assay.dev/unfit   gpu\n",
		90:  name + "   triad 5.09 GB/s, 75% behind typical   assay.dev/unfit\n",
		80:  name + "   triad 5.09 GB/s, 75% behind typical\n",
		56:  name + "   triad 5.09 GB/s, ...\n",
		40:  name + "\n",
		20:  "gpu-0017...ample.com\n",
		10:  "gpu-00...ple.com\n",
	} {
		header, rows := narrowing.fit([]string{"NODE", "WORST", "TAINT", "POLICY"},
			[][]string{{name, "triad 5.09 GB/s, 75% behind typical", "assay.dev/unfit", "gpu"}}, width)
		var out bytes.Buffer
		if err := Grid(&out, header, rows); err != nil {
			t.Fatal(err)
		}
		line := strings.SplitAfter(out.String(), "\n")[1]
		if line != want || width >= leastColumn && utf8.RuneCountInString(line) > width+1 {
			t.Errorf("%d columns: %q, want %q", width, line, want)
		}
	}
	if widthOf(&bytes.Buffer{}) != 0 {
		t.Error("a buffer is no terminal")
	}
}

func TestALineIsFoldedBetweenWords(t *testing.T) {
	const line = "400 nodes: 3 Unfit, 397 Passed"
	for width, want := range map[int]string{0: line, 30: line, 29: "400 nodes: 3 Unfit, 397\nPassed", 3: "400\nnodes:\n3\nUnfit,\n397\nPassed"} {
		if got := fold(line, width); got != want {
			t.Errorf("%d columns: %q, want %q", width, got, want)
		}
	}
}
