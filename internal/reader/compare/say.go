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

// LeavesOut says whether a short table does without the rows that noise explains.
func (c *Comparison) LeavesOut() (rows int) {
	if rows = c.count(func(r *Row) bool { return r.Outcome == Same && !r.Unlisted }); rows <= mostAlike {
		return 0
	}
	return rows
}

// Notes say what the rows do not, all of which are shown, or those of a short table.
func (c *Comparison) Notes(unlisted bool) []string {
	out := c.reasons(unlisted)
	if few := c.count(func(r *Row) bool { return r.Estimate != nil && r.Estimate.Test == NoiseT && !r.Unlisted }); few > 0 {
		out = append(out, "too few nodes measured "+message.Several(few, "metric")+
			" to show how nodes scatter: the noise that the Benchmark declares stands in for it")
	}
	if n := c.LeavesOut(); n > 0 && !unlisted {
		out = append(out, message.Several(n, "metric")+" more whose difference noise explains: see -o wide")
	}
	if n := c.count(func(r *Row) bool { return r.Unlisted }); n > 0 && !unlisted {
		out = append(out, message.Several(n, "metric")+" more that the Benchmarks do not list: see -o wide")
	}
	if c.Tested > 0 {
		out = append(out, fmt.Sprintf("~: noise explains the difference; P and INTERVAL (95%%) are corrected for %s (Holm)",
			message.Several(c.Tested, "metric")))
	}
	return out
}

// By how much B is better, in words: "worse by 1.5%".
func By(percent float64) string {
	if percent < 0 {
		return "worse by " + quantity.Percent(-percent)
	}
	return "better by " + quantity.Percent(percent)
}

func betterBy(percent float64) string {
	word, size, _ := strings.Cut(By(percent), " by ")
	return size + " " + word
}

// NothingTested says that there was nothing to compare.
const NothingTested = "no metric can be compared: the reasons are above, or in the field why of -o json"

// Conclusion says what all rows come to: a mean only where something differs.
func (c *Comparison) Conclusion() []string {
	var out []string
	o := c.Overall
	switch {
	case o == nil:
		out = append(out, NothingTested)
	case o.Better+o.Worse == 0:
		out = append(out, message.Several(o.Rows, "headline metric")+" compared: no difference that noise does not explain")
	default:
		for i := range c.Benchmarks {
			if m := &c.Benchmarks[i]; len(c.Benchmarks) > 1 && m.Better+m.Worse > 0 {
				out = append(out,
					fmt.Sprintf("%s: B is %s, by the geometric mean of %s", m.Benchmark, betterBy(m.Percent), message.Several(m.Rows, "metric")))
			}
		}
		out = append(out, fmt.Sprintf("B is %s, by the geometric mean of %s with %s: %d better, %d worse, %d that noise explains", betterBy(o.Percent),
			message.Several(len(c.Benchmarks), "benchmark"), message.Several(o.Rows, "headline metric"), o.Better, o.Worse, o.Same))
	}
	return append(out, c.Others()...)
}

// Others names the rows that differ and that no mean counts.
func (c *Comparison) Others() []string {
	headlines := headlined(c.Rows)
	var out []string
	for _, outcome := range []Outcome{Worse, Better, Differs} {
		rows := list.Those(c.Rows, func(r *Row) bool { return r.Outcome == outcome && !r.Unlisted && !r.averaged(headlines) })
		if len(rows) == 0 {
			continue
		}
		word, verb := outcome.Word(), "are"
		if outcome == Differs {
			word = "different"
		}
		if len(rows) == 1 {
			verb = "is"
		}
		out = append(out, fmt.Sprintf("%s %s %s: %s", message.Several(len(rows), "other metric"), verb, word, message.Names(list.Map(rows, (*Row).Name))))
	}
	return out
}

// reasons why rows have no difference in percent: each once, with the rows that it holds for.
func (c *Comparison) reasons(unlisted bool) []string {
	without := list.Those(c.Rows, func(r *Row) bool { return r.Estimate == nil && r.Outcome != Same && (unlisted || !r.Unlisted) })
	return list.Map(list.Groups(without, func(r *Row) string { return r.Why }), func(alike []*Row) string {
		return message.Names(list.Map(alike, (*Row).Name)) + ": " + alike[0].Why
	})
}

func (c *Comparison) count(holds func(*Row) bool) int { return len(list.Those(c.Rows, holds)) }
