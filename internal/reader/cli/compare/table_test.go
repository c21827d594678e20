package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/reader/compare"
)

// What changed most stands first; of what noise explains there is no more than a count, unless all is asked for.
func TestTheTableBeginsWithWhatChanged(t *testing.T) {
	for _, tt := range []struct {
		alike       int
		short, wide string
	}{
		{2, "stopped small large alike0 alike1", "stopped small large alike0 alike1 clock"},
		{11, "stopped small large", "stopped small large alike0 alike1 alike2 alike3 alike4 alike5 alike6 alike7 alike8 alike9 alike10 clock"},
	} {
		c := &compare.Comparison{}
		add := func(metric string, outcome compare.Outcome, e *compare.Estimate) {
			c.Rows = append(c.Rows, compare.Row{Metric: metric, Outcome: outcome, Estimate: e})
		}
		for i := range tt.alike {
			add(fmt.Sprint("alike", i), compare.Same, &compare.Estimate{Percent: 90})
		}
		add("large", compare.Better, &compare.Estimate{Percent: 60}) // as a ratio, less than half as much is farther
		add("small", compare.Worse, &compare.Estimate{Percent: -55})
		add("clock", compare.Same, &compare.Estimate{})
		c.Rows[len(c.Rows)-1].Unlisted = true
		add("stopped", compare.Worse, nil)
		for wide, want := range map[bool]string{false: tt.short, true: tt.wide} {
			var got []string
			for _, row := range compareCells(c, wide).rows {
				got = append(got, row[1])
			}
			if text := strings.Join(got, " "); text != want {
				t.Errorf("wide %v: %s, want %s", wide, text, want)
			}
		}
		if said := strings.Contains(strings.Join(c.Notes(false), "\n"), "11 metrics more whose difference noise explains: see -o wide"); said != (tt.alike == 11) {
			t.Errorf("of %d metrics, it is said that they are left out: %v", tt.alike, said)
		}
	}
}
