package compare

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

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
