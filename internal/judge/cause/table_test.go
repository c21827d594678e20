package cause_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/docs"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/test/golden"
	"github.com/assay-dev/assay/test/page/runs"
)

// update takes every machine, and writes the tables in docs/verdict-measurements.md anew.
var update = golden.Update

const ambiguous = "ambiguous: "

// TestInjectedCauses: of causes that are put into recorded machines and found by the verdict, nine in ten are named first, and none is
// called by another name. With -update it takes every machine, and writes down what came of it.
func TestInjectedCauses(t *testing.T) {
	measure := runs.Changed()
	places := [][2]int{{0, 0}, {3, 2}} // node and GPU
	if *update {
		places = nil
		for node := range 5 {
			places = append(places, [2]int{node, 0}, [2]int{node, 2})
		}
	}
	var known, open tally
	tables := [2]string{"| what is wrong | sizes | found unfit | right cause | left open | wrong cause |\n|---|---|---|---|---|---|\n",
		"| what the record leaves open | sizes | found unfit | left open, as it should be | wrong cause |\n|---|---|---|---|---|\n"}
	for _, c := range causes {
		var of tally
		for _, size := range c.sizes {
			for _, on := range places {
				of.add(c.try(t, measure, size, on[0], on[1]))
			}
		}
		name, found := c.row(), fmt.Sprintf("%d of %d", of.cases-of.unseen, of.cases)
		if strings.HasPrefix(c.name, ambiguous) {
			open.add(of)
			tables[1] += fmt.Sprintf("%s %s | %d | %d |\n", name, found, of.right+of.honest, of.wrong)
			continue
		}
		known.add(of)
		tables[0] += fmt.Sprintf("%s %s | %d | %d | %d |\n", name, found, of.right, of.honest, of.wrong)
	}
	seen := known.cases - known.unseen
	if known.right*10 < seen*9 {
		t.Errorf("only %d of %d causes are right", known.right, seen)
	}
	if known.wrong+open.wrong > 0 {
		t.Errorf("%d causes are wrong", known.wrong+open.wrong)
	}
	document(t, fmt.Sprintf("Of %d faults that failed a node, %d (%s) got the right cause first, %d were left open, and %d got a wrong one. They were told as %d.\n\n%s\n%s", seen, known.right,
		quantity.Percent(100*float64(known.right)/float64(seen)), known.honest, known.wrong, known.faults, tables[0], tables[1]))
}

// row of the table, up to what came of it.
func (c *injected) row() string {
	var sizes []string
	for _, s := range c.sizes {
		if s != 0 {
			sizes = append(sizes, fmt.Sprint(s))
		}
	}
	return fmt.Sprintf("| %s | %s |", strings.TrimPrefix(c.name, ambiguous), strings.TrimSpace(strings.Join(sizes, ", ")+" "+c.unit))
}

// document writes the tables anew, or makes sure that they are about these causes.
func document(t *testing.T, tables string) {
	t.Helper()
	const begin, end = "<!-- causes -->\n", "<!-- end of causes -->\n"
	page, err := docs.Pages.ReadFile("verdict-measurements.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(page), begin)
	written, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		t.Fatalf("docs/verdict-measurements.md has nothing between %q and %q", begin, end)
	}
	if *update {
		if err := os.WriteFile(filepath.Join("..", "..", "..", "docs", "verdict-measurements.md"), []byte(before+begin+tables+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, c := range causes {
		if !strings.Contains(written, c.row()) {
			t.Errorf("docs/verdict-measurements.md lacks %q: make bench-causes", c.row())
		}
	}
	if rows := strings.Count(written, "\n| ") - 2; rows != len(causes) { // two heads
		t.Errorf("docs/verdict-measurements.md has %d causes, and %d are tried: make bench-causes", rows, len(causes))
	}
}
