package page

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/compare"
)

// comparison is what the page of two sides shows.
type comparison struct {
	document
	Headline, Class string
	Others          []string // metrics that differ and that no mean counts
	Notes           []string // what the rows do not say

	Confidence    string
	Sides         []side
	Configuration []compare.Difference
	Means         []meanRow
	Rows          []comparedRow // those that differ, by how much
	Alike         []comparedRow // that noise explains, or that cannot be compared
	Unlisted      []comparedRow // metrics that are recorded, and never judged
	Low, High     string        // ends of the drawn differences
	Changed       []changedPart
}

type side struct {
	Letter, Name string
	Facts        facts
	Warnings     []string
}

type meanRow struct {
	compare.Mean
	Of, X, Width, Class string
}

// comparedRow is a metric: Line is the interval of the difference, Dot its estimate, Sign what came of it.
type comparedRow struct {
	*compare.Row
	Unit, Percent, Outcome        string
	Part, A, B, Interval, P       sized
	Class, Sign, From, Width, Dot string
}

type changedPart struct {
	Metric, Part string
	A, B         sized
	Percent      string
}

// WriteComparison writes the page of a comparison.
func WriteComparison(w io.Writer, c *compare.Comparison) error {
	v := comparison{document: newDocument(), Confidence: quantity.Percent(100 * c.Confidence), Others: c.Others(), Notes: c.Notes(true),
		Configuration: c.Configuration, Sides: []side{newSide("A", "B", &c.A), newSide("B", "A", &c.B)}}
	v.Title = fmt.Sprintf("%s compared with %s", c.B.Name, c.A.Name)
	v.conclude(c)
	reach := reachOf(c.Rows)
	v.Low, v.High = quantity.SignedPercent(-reach), quantity.SignedPercent(reach)
	v.Means = list.Map(c.Benchmarks, func(m compare.Mean) meanRow { return newMean(m, reach) })
	for _, r := range slices.Concat(c.ByChange()) {
		switch row := newComparedRow(r, reach); {
		case r.Unlisted:
			v.Unlisted = append(v.Unlisted, row)
		case r.Differs():
			v.Rows = append(v.Rows, row)
		default:
			v.Alike = append(v.Alike, row)
		}
	}
	v.Changed = changed(c.Rows)
	return write(w, "comparison", v)
}

func (v *comparison) conclude(c *compare.Comparison) {
	if c.Tested == 0 {
		v.Headline, v.Class = "Nothing could be compared: no metric has enough values on both sides. Compare runs of the same benchmarks.", "none"
		return
	}
	n := map[compare.Outcome]int{} // a metric that is no headline is worse as well; what A lacks does not count
	for r := range list.Each(c.Rows) {
		if !r.Unlisted && r.A.Parts > 0 {
			n[r.Outcome]++
		}
	}
	better, worse, differ, same := n[compare.Better], n[compare.Worse], n[compare.Differs], n[compare.Same]
	unknown, tested := n[compare.TooFew]+n[compare.NotComparable], better+worse+differ+same
	v.Headline = fmt.Sprintf("%s against %s: ", c.B.Name, c.A.Name)
	if same == tested {
		v.Headline += fmt.Sprintf("no difference that noise does not explain, in %s.", message.Several(tested, "metric"))
	} else {
		v.Headline += fmt.Sprintf("%s compared, %s.", message.Several(tested, "metric"),
			message.Counts([]string{"better", "worse", "different", "the same within noise"}, better, worse, differ, same))
	}
	if unknown > 0 {
		v.Headline += fmt.Sprintf(" %s of A could not be compared.", message.Several(unknown, "metric"))
	}
	switch o := c.Overall; {
	case o == nil || better+worse == 0:
	case o.Better+o.Worse == 0:
		v.Headline += " No headline metric differs."
	default:
		v.Headline += fmt.Sprintf(" The headline metrics: %s on average.", compare.By(o.Percent))
	}
	switch v.Class = "none"; {
	case worse > 0:
		v.Class = "fail"
	case unknown+differ > 0:
		v.Class = "warn"
	case better > 0:
		v.Class = "pass"
	}
}

func newSide(letter, other string, a *compare.About) side {
	s := side{Letter: letter, Name: a.Name, Warnings: a.Warnings(letter, other)}
	runs := list.Map(a.Runs, func(r compare.Run) string { return strings.TrimPrefix(r.Cluster+"/"+r.Name, "/") })
	s.Facts.add("Runs", message.AndMore(runs, mostNamed, len(runs)))
	if a.Remembered > 0 {
		s.Facts.add("Remembered", fmt.Sprint(a.Remembered))
	}
	s.Facts.add("Nodes", fmt.Sprint(a.Nodes))
	if a.Groups > 0 {
		s.Facts.add("Groups", fmt.Sprint(a.Groups))
	}
	s.Facts.add("Measured", span(a.From, a.To))
	return s
}

func span(from, to *time.Time) string {
	first, last := when(from), when(to)
	if first == last || last == "" {
		return first
	}
	return first + " – " + last
}

// reachOf the drawing, in percent to both sides: 1 at least, and 100 at most.
func reachOf(rows []compare.Row) float64 {
	reach := 1.0
	for i := range rows {
		if e := rows[i].Estimate; e != nil {
			size := math.Abs(e.Percent)
			reach = max(reach, size, min(max(math.Abs(e.DecidingLow), math.Abs(e.DecidingHigh)), 2*size))
		}
	}
	return min(1.05*reach, 100)
}

// across is where a difference is drawn, from 0 to 1.
func across(percent, reach float64) float64 { return min(max(0.5+percent/reach/2, 0), 1) }

func newMean(m compare.Mean, reach float64) meanRow {
	row := meanRow{Mean: m, Of: compare.By(m.Percent), Class: "pass"}
	from, to := across(min(m.Percent, 0), reach), across(max(m.Percent, 0), reach)
	row.X, row.Width = share(from), share(to-from)
	switch {
	case m.Better == 0 && m.Worse == 0:
		row.Class, row.Of = "none", "the same within noise"
	case m.Percent < 0:
		row.Class = "fail"
	}
	return row
}

// looks of the outcomes: never a colour alone.
var looks = map[compare.Outcome]struct{ class, sign string }{
	compare.Better: {"pass", "▲"}, compare.Worse: {"fail", "▼"}, compare.Differs: {"warn", "◆"}, compare.Same: {"none", ""},
	compare.TooFew: {"none", "?"}, compare.NotComparable: {"none", "?"},
}

func newComparedRow(r *compare.Row, reach float64) comparedRow {
	look := looks[r.Outcome]
	row := comparedRow{Row: r, Part: kindOf(r.Kind), Outcome: r.Outcome.Word(), Class: look.class, Sign: look.sign}
	row.Part.Text = r.Of()
	scale := r.Scale()
	row.Unit, row.A, row.B = scale.Unit(), median(scale, r.Unit, &r.A), median(scale, r.Unit, &r.B)
	if e := r.Estimate; e != nil {
		row.Percent = quantity.SignedPercent(e.Percent)
		row.Interval = sized{quantity.SignedPercent(e.DecidingLow) + " … " + quantity.SignedPercent(e.DecidingHigh), worth(e.DecidingLow, "")}
		if r.Outcome == compare.Better || r.Outcome == compare.Worse {
			row.Outcome += " by " + quantity.Percent(math.Abs(e.Percent))
		}
		row.P = sized{quantity.Probability(e.Corrected), worth(e.Corrected, "")}
		from, to := across(e.DecidingLow, reach), across(e.DecidingHigh, reach)
		row.From, row.Width, row.Dot = share(from), share(max(to-from, 0.004)), share(across(e.Percent, reach))
	}
	return row
}

func median(scale quantity.Scale, unit string, s *compare.Summary) sized {
	if s.Median == nil {
		return sized{}
	}
	return sized{scale.Number(*s.Median), worth(*s.Median, unit)}
}

// mostChanged parts are listed.
const mostChanged = 30

// changed are the parts that differ most, where the comparison lists parts.
func changed(rows []compare.Row) []changedPart {
	type one struct {
		row  *compare.Row
		part *compare.Part
	}
	var all []one
	for _, r := range list.Those(rows, (*compare.Row).Differs) {
		for p := range list.Each(r.Parts) {
			if p.Percent != nil { // both sides have a value
				all = append(all, one{r, p})
			}
		}
	}
	slices.SortStableFunc(all, func(p, q one) int { return cmp.Compare(math.Abs(*q.part.Percent), math.Abs(*p.part.Percent)) })
	return list.Map(all[:min(len(all), mostChanged)], func(o one) changedPart {
		scale := quantity.NewScale(o.row.Unit, *o.part.A, *o.part.B)
		in := func(v float64) sized { return sized{scale.Format(v), worth(v, o.row.Unit)} }
		return changedPart{o.row.Benchmark + " " + o.row.Metric, strings.Join(o.part.Nodes, ", ") + partName(o.part.At),
			in(*o.part.A), in(*o.part.B), quantity.SignedPercent(*o.part.Percent)}
	})
}
