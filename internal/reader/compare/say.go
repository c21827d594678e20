package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// Explained stands for a difference that noise explains.
const Explained = "~"

// Word for an outcome, as people read it.
func (o Outcome) Word() string {
	return cmp.Or(map[Outcome]string{Same: Explained, TooFew: "unknown", NotComparable: "incomparable"}[o], strings.ToLower(string(o)))
}

// Name of a row: its metric and kind of part.
func (r *Row) Name() string {
	return r.marked(strings.TrimSpace(r.Benchmark + " " + r.Metric + " " + r.Kind))
}

// Of says what kind of parts a row is of.
func (r *Row) Of() string { return r.marked(cmp.Or(r.Kind, "node")) }

// marked is what is told of the parts that A lacks.
func (r *Row) marked(what string) string {
	if r.NotInA {
		what += " (not in A)"
	}
	return what
}

// Scale of both sides' medians, so that they can be told apart.
func (r *Row) Scale() quantity.Scale { return quantity.ScaleOf(r.Unit, r.A.Median, r.B.Median) }

const (
	// mostShares of a trait are told.
	mostShares = 3
	// longestShare that is told, in characters.
	longestShare = 60
)

// Told is how a trait is distributed: its most frequent values, with the number of each where there are several.
func Told(all []Share) string {
	var told []string
	for _, s := range all[:min(len(all), mostShares)] {
		text := cmp.Or(quantity.Clip(s.Value, longestShare), "-")
		if len(all) > 1 {
			text += fmt.Sprintf(" (%d)", s.Count)
		}
		told = append(told, text)
	}
	return message.AndMore(told, mostShares, len(all))
}

// Sides says what was compared, and what was left out.
func (c *Comparison) Sides() []string {
	return append(c.A.lines("A", "B"), c.B.lines("B", "A")...)
}

func (a *About) lines(letter, other string) []string {
	of := message.Several(a.Nodes, "node")
	if a.Groups > 0 {
		of += ", " + message.Several(a.Groups, "group")
	}
	of += ", " + message.Several(len(a.Runs)+a.Remembered, "run")
	if a.From != nil {
		of += ", " + a.From.Format("2006-01-02 15:04") + " to " + a.To.Format("2006-01-02 15:04") + " UTC"
	}
	return append([]string{fmt.Sprintf("%s: %s (%s)", letter, a.Name, of)}, a.Warnings(letter, other)...)
}

// Warnings about a side: what was left out, and what may change.
func (a *About) Warnings(letter, other string) []string {
	var out []string
	if a.LeftOut != (LeftOut{}) {
		out = append(out, letter+": "+a.LeftOut.Says())
	}
	if a.Unpaired > 0 {
		have := "have"
		if a.Unpaired == 1 {
			have = "has"
		}
		out = append(out, fmt.Sprintf("%s: %s %s parts that are not in %s: what is compared in pairs leaves them out", letter,
			message.Several(a.Unpaired, "node"), have, other))
	}
	for _, run := range a.Runs {
		if run.Unfinished {
			out = append(out, fmt.Sprintf("%s: run %s is not over, and what it has still to measure may change this comparison", letter, run.Name))
		}
	}
	return out
}

// Says how many attempts a comparison does without, and why.
func (l LeftOut) Says() string {
	return "attempts left out: " + message.Counts([]string{"with wrong data", "disturbed", "without a measurement"}, l.WrongData, l.Disturbed, l.Unmeasured)
}

// ByChange are the rows that differ, those that changed most first, and then the others in their order.
func (c *Comparison) ByChange() (changed, others []*Row) {
	changed, others = list.Those(c.Rows, (*Row).Differs), list.Those(c.Rows, func(r *Row) bool { return !r.Differs() })
	slices.SortStableFunc(changed, func(a, b *Row) int { return cmp.Compare(b.size(), a.size()) })
	return changed, others
}

// size of a change, whichever way; what fell to 0 has none that is greater.
func (r *Row) size() float64 {
	if r.Estimate == nil {
		return math.Inf(1)
	}
	return math.Abs(math.Log1p(r.Estimate.Percent / 100))
}

// mostAlike rows that noise explains are listed for people who did not ask for all.
const mostAlike = 10
