package compare

import (
	"cmp"
	"math"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

// New compares B with A.
func New(a, b *Side, o Options) Comparison {
	c := Comparison{Schema: Schema, A: a.About(), B: b.About(), Confidence: confidence, Configuration: differences(a, b)}
	inA, inB := views(a, b)
	j := joined{inA, inB, o}
	var trials []trial // by row; without a sample where there is nothing to test
	unpairedA, unpairedB := map[int]bool{}, map[int]bool{}
	for _, key := range j.keys() {
		row, t, m := j.row(key)
		if row.A.Parts+row.B.Parts == 0 {
			continue // in another configuration than what is compared, or told by groups
		}
		c.Rows, trials = append(c.Rows, row), append(trials, t)
		if !t.paired {
			continue
		}
		onlyA, onlyB := m.unpaired()
		noteMachines(unpairedA, onlyA)
		noteMachines(unpairedB, onlyB)
		if o.NotInA && len(onlyB) > 0 {
			row, t := apart(row, m.a, onlyB, t.noise)
			c.Rows, trials = append(c.Rows, row), append(trials, t)
		}
	}
	c.A.Unpaired, c.B.Unpaired = len(unpairedA), len(unpairedB)
	c.Tested = test(c.Rows, trials, false)
	test(c.Rows, trials, true)
	for i := range c.Rows {
		if r := &c.Rows[i]; !r.NotInA && (o.Parts || o.PartsThatDiffer && r.Differs()) {
			r.Parts = j.matched(rowKey{r.Benchmark, r.Metric, r.Kind}).list()
		}
	}
	c.Benchmarks, c.Overall = means(c.Rows)
	return c
}

// Compared says whether there is anything that both sides measured.
func (c *Comparison) Compared() bool {
	return slices.ContainsFunc(c.Rows, func(r Row) bool { return r.A.Parts > 0 && r.B.Parts > 0 })
}

// test the rows that have a trial, as one family.
func test(rows []Row, trials []trial, unlisted bool) int {
	var family []int
	for i := range rows {
		if rows[i].Unlisted == unlisted && len(trials[i].a.values) > 0 {
			family = append(family, i)
		}
	}
	p := make([]float64, len(family))
	for k, i := range family {
		e := trials[i].run((1 - confidence) / float64(len(family)))
		rows[i].Estimate, p[k] = &e, e.P
	}
	corrected, levels := holm(p)
	for k, i := range family {
		rows[i].conclude(corrected[k])
		rows[i].Estimate.decide(trials[i].shift(rows[i].Estimate.Test, levels[k]))
	}
	return len(family)
}

// holm corrects p-values for their number (Holm, 1979): the probability that any of those below a level is there by chance is no more than
// that level, whatever the metrics of one node have to do with each other. It asks less than Bonferroni's correction, of the same proof.
//
// levels are those at which the uncorrected p-values are decided: where the corrected one is above 1 - confidence, its own is above its level, and
// elsewhere it is not.
func holm(p []float64) (corrected, levels []float64) {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	corrected, levels = make([]float64, len(p)), make([]float64, len(p))
	least, level := 0.0, 0.0
	for rank, i := range order {
		left := float64(len(p) - rank)
		if least <= 1-confidence { // from the first that is not refused on, no other is
			level = (1 - confidence) / left
		}
		least = max(least, min(1, p[i]*left))
		corrected[i], levels[i] = least, level
	}
	return corrected, levels
}

// conclude what an estimate means.
func (r *Row) conclude(corrected float64) {
	e := r.Estimate
	e.Corrected = corrected
	size := math.Abs(math.Log1p(e.Percent / 100))
	switch {
	case corrected > 1-confidence:
		r.Outcome, r.Why = Same, "chance explains the difference, if there is any: corrected p = "+quantity.Probability(corrected)
	case size <= math.Log1p(e.FloorPercent/100)+rounding:
		r.Outcome, r.Why = Same, "the difference is within the noise from run to run, "+quantity.Percent(e.FloorPercent)
	case r.Better == "":
		r.Outcome = Differs
	case (e.Percent > 0) == (r.Better == v1alpha1.Higher):
		r.Outcome = Better
	default:
		r.Outcome = Worse
	}
}

// Differs says whether more than noise tells the sides apart.
func (r *Row) Differs() bool {
	return r.Outcome == Better || r.Outcome == Worse || r.Outcome == Differs
}

// joined are both sides while they are compared.
type joined struct {
	a, b    view
	options Options
}

// keys of the rows, by benchmark in the order of A, then what B alone has.
func (j joined) keys() []rowKey {
	var out []rowKey
	for _, key := range slices.Concat(list.Groups(slices.Concat(j.a.order, j.b.order), func(k rowKey) string { return k.benchmark })...) {
		if !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	return out
}

// Benchmarked are the benchmarks that one side measured.
func (c *Comparison) Benchmarked(inA bool) []string {
	measured := list.Where(c.Rows, func(r Row) bool { return inA && r.A.Parts > 0 || !inA && r.B.Parts > 0 })
	return slices.Compact(list.Map(measured, func(r Row) string { return r.Benchmark })) // rows of one benchmark stand together
}
