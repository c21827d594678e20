package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/compare"
	"github.com/assay-dev/assay/internal/message"
)

// sidesSaid says what was compared, and what was left out.
func sidesSaid(c *compare.Comparison) []string {
	var out []string
	for _, s := range []struct {
		letter string
		about  *compare.About
	}{{"A", &c.A}, {"B", &c.B}} {
		a := s.about
		line := message.CompareSide(s.letter, clean(a.Name), a.Nodes, a.Groups, len(a.Runs)+a.Remembered, orZero(a.From), orZero(a.To))
		out = append(out, line)
		if l := a.LeftOut; l != (compare.LeftOut{}) {
			out = append(out, message.CompareLeftOut(s.letter, l.WrongData, l.Disturbed, l.Unmeasured))
		}
		for _, run := range a.Runs {
			if run.Unfinished {
				out = append(out, message.CompareUnfinished(s.letter, clean(run.Name)))
			}
		}
	}
	return out
}

func orZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

// compareConclusion says what the rows do not, and what all of them come to.
func compareConclusion(c *compare.Comparison, wide bool) []string {
	out := reasons(c, wide)
	if few := fewUnits(c); few > 0 {
		out = append(out, message.CompareFewUnits(few))
	}
	if n := unlisted(c); n > 0 && !wide {
		out = append(out, message.CompareUnlisted(n))
	}
	if c.Tested > 0 {
		out = append(out, message.CompareTested(c.Tested))
	}
	if c.Overall == nil {
		return append(out, message.CompareNothingTested())
	}
	if len(c.Benchmarks) > 1 {
		for _, m := range c.Benchmarks {
			out = append(out, message.CompareMean(clean(m.Benchmark), m.Percent, m.Rows))
		}
	}
	o := c.Overall
	return append(out, message.CompareOverall(len(c.Benchmarks), o.Percent, o.Rows, o.Better, o.Worse, o.Same))
}

// reasons why rows cannot be compared: each once, with the rows that it holds for.
func reasons(c *compare.Comparison, wide bool) []string {
	var order []string
	rows := map[string][]string{}
	for i := range c.Rows {
		r := &c.Rows[i]
		if r.Outcome != compare.NotComparable && r.Outcome != compare.TooFew || r.Unlisted && !wide {
			continue
		}
		if rows[r.Why] == nil {
			order = append(order, r.Why)
		}
		rows[r.Why] = append(rows[r.Why], clean(rowName(r)))
	}
	var out []string
	for _, why := range order {
		out = append(out, message.CompareWhy(rows[why], clean(why)))
	}
	return out
}

// fewUnits counts the rows that had too few nodes for anything but the declared noise to tell how much nodes differ.
func fewUnits(c *compare.Comparison) int {
	n := 0
	for i := range c.Rows {
		if e := c.Rows[i].Estimate; e != nil && e.Test == compare.NoiseT && !c.Rows[i].Unlisted {
			n++
		}
	}
	return n
}

func unlisted(c *compare.Comparison) int {
	n := 0
	for i := range c.Rows {
		if c.Rows[i].Unlisted {
			n++
		}
	}
	return n
}

// writeCompareMarkdown shows the comparison as a section of a Markdown document.
func writeCompareMarkdown(w io.Writer, c *compare.Comparison, parts bool) error {
	fmt.Fprintf(w, "## %s\n\n%s\n", escapeMarkdown(message.CompareTitle(clean(c.A.Name), clean(c.B.Name))),
		escapeMarkdown(strings.Join(sidesSaid(c), "  \n")))
	markdownTable := func(header []string, rows [][]string) {
		if len(rows) == 0 {
			return
		}
		fmt.Fprintln(w)
		markdownRow(w, header)
		fmt.Fprintln(w, strings.Repeat("| --- ", len(header))+"|")
		for _, row := range rows {
			markdownRow(w, row)
		}
	}
	markdownTable(configurationCells(c))
	markdownTable(compareCells(c, true))
	if parts {
		markdownTable(partCells(c))
	}
	_, err := fmt.Fprintf(w, "\n%s\n", escapeMarkdown(strings.Join(slices.Clip(compareConclusion(c, true)), "  \n")))
	return err
}
