package compare

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

// row of a metric, and the trial that is to be made.
func (j joined) row(key rowKey) (Row, trial, matched) {
	inA, inB := j.a.benchmark(key.benchmark), j.b.benchmark(key.benchmark)
	noise := noiseBetween(key.metric, inA, inB)
	r := Row{
		Benchmark: key.benchmark, Metric: key.metric, Kind: key.kind, Outcome: NotComparable,
		Headline: inA.headline[key.metric] || inB.headline[key.metric],
		Unlisted: !noise.claimed && len(inA.metrics)+len(inB.metrics) > 0,
	}
	m := j.matched(key)
	r.Why, r.Unit, r.Better = m.why, m.unit, cmp.Or(j.a.seriesOf(key).better, j.b.seriesOf(key).better)
	r.A, r.B = summarize(m.a, r.Unit != ""), summarize(m.b, r.Unit != "")
	if r.Why != "" {
		return r, trial{}, m
	}
	t, ok := m.trial(noise)
	if !ok {
		r.withoutRatio(m)
	}
	return r, r.only(t), m
}

// only a trial that is possible is made: the nodes show how much they scatter, or a Benchmark says it.
func (r *Row) only(t trial) trial {
	if len(t.a.values) > 0 && t.as == byPart && !t.noise.claimed {
		r.Outcome, r.Why = TooFew,
			fmt.Sprintf("no Benchmark declares its noise, and fewer than %d nodes a side do not show it: measure more nodes", enoughUnits)
		return trial{}
	}
	return t
}

// apart from the pairs, parts that A lacks are compared with all that it has.
func apart(r Row, a, onlyB []reached, n noise) (Row, trial) {
	r.NotInA, r.Outcome, r.Why = true, NotComparable, ""
	r.B = summarize(onlyB, true)
	t := unpairedTrial(logs(a), logs(onlyB), n)
	return r, r.only(t)
}

// withoutRatio is what some values of 0 or less show all the same.
func (r *Row) withoutRatio(m matched) {
	switch fallen := m.fallen(); {
	case fallen > 0 && r.Better == v1alpha1.Higher:
		r.Outcome, r.Why = Worse, message.Several(fallen, "part")+" of B at 0, where A has more: look for what stopped, and measure again"
	case zero(m.a) && zero(m.b):
		r.Outcome, r.Why = Same, "every value of both sides is 0"
	default:
		r.Outcome, r.Why = TooFew, "some values are 0 or negative, so that there is no ratio: compare the values themselves"
	}
}

// disagreement of two series of one name about what it means, or which side has no value.
func (j joined) disagreement(a, b *series, m matched) string {
	_, sameUnit := quantity.Factor(b.unit, a.unit)
	switch {
	case len(m.a) == 0:
		return j.a.about.Name + " has no value"
	case len(m.b) == 0:
		return j.b.about.Name + " has no value"
	case a.mixed || b.mixed:
		return "one side measured it in units, or directions, that contradict each other"
	case !sameUnit:
		return fmt.Sprintf("A is in %s and B in %s, and neither converts into the other", a.unit, b.unit)
	case a.better != b.better:
		return "A and B do not agree on which way is better"
	}
	return ""
}

// convert the values into another unit; false where there is no factor.
func convert(parts []reached, from, to string) bool {
	if len(parts) == 0 {
		return true
	}
	factor, ok := quantity.Factor(from, to)
	for i := range parts {
		parts[i].value *= factor
	}
	return ok
}

// summarize the parts, with their values if they have a unit.
func summarize(parts []reached, valued bool) Summary {
	nodes := map[int]bool{}
	noteMachines(nodes, parts)
	s := Summary{Parts: len(parts), Nodes: len(nodes)}
	if len(parts) > 0 && valued {
		values := list.Map(parts, func(r reached) float64 { return r.value })
		s.Median, s.Min, s.Max = new(stat.Median(values)), new(slices.Min(values)), new(slices.Max(values))
	}
	return s
}

// configuration of a benchmark that is compared: the one that both sides measured, and most often where they share several; nil: any. why says
// that there is none.
func (j joined) configuration(name string) (best *string, why string) {
	a, b := j.a.benchmark(name).attempts, j.b.benchmark(name).attempts
	if j.options.AcrossConfigurations || len(a) == 0 || len(b) == 0 {
		return nil, ""
	}
	most := 0
	for hash := range a {
		if n := min(a[hash], b[hash]); n > most || n == most && n > 0 && hash < *best {
			best, most = &hash, n
		}
	}
	if best != nil {
		return best, ""
	}
	changed := list.Where(differences(j.a.Side, j.b.Side), func(d Difference) bool { return d.Benchmark == name && explains(d.Name) })
	what := cmp.Or(message.Names(list.Map(changed, func(d Difference) string { return d.Name })), "image, command or environment")
	return nil, "A and B ran with another " + what + ": --across-configurations compares them all the same"
}
