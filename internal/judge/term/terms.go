package term

import (
	"math"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/quantity"
)

// Term is one rule as it was applied to one metric.
type Term struct {
	// Metric, or the data check; empty: the data as a whole.
	Metric string
	Rule   string
	// RuleNumbers of the worst part, or of all of them together where the rule judges that; a bound of a broken term only.
	v1alpha1.RuleNumbers
	// Kinds of parts with the worst value of each, of a held term about several.
	Kinds []v1alpha1.HeldValue
	// At is the worst part, of a broken term only, and Ats are all that broke it; none: they are not known.
	At  string
	Ats []string
	// Expected value of a fact that differs from most nodes.
	Expected string
}

// Shortfall is by how much a value misses what is expected, as a share of the greater of both; infinite where one of them is no number.
func Shortfall(value, expected v1alpha1.Decimal) float64 {
	v, ok := quantity.ParseDecimal(value)
	e, also := quantity.ParseDecimal(expected)
	size := max(math.Abs(v), math.Abs(e))
	if !ok || !also || size == 0 {
		return math.Inf(1)
	}
	return math.Abs(v-e) / size
}

// Terms are all rules that had enough data to judge: those that every part held, and those that a part broke, each once per
// metric. A rule with too little data is in neither. Doubtful are those that held where it counts, but not in every attempt: by metric and
// rule only.
type Terms struct {
	Held, Broken, Doubtful []Term
}

// DoubtValue of a part that an attempt found slow: whichever rules held, they did so by no better value than that.
func (t *Terms) DoubtValue(metric, at string, value float64, side v1alpha1.Direction) {
	worst := func(known v1alpha1.Decimal) v1alpha1.Decimal {
		if v, ok := quantity.ParseDecimal(known); ok && bounds.Worse(side, v, value) != v {
			return quantity.Decimal(value, quantity.Exact)
		}
		return known
	}
	t.Held = slices.Clone(t.Held)
	for i := range t.Held {
		h := &t.Held[i]
		if h.Metric != metric || !InUnit[h.Rule] || (h.Rule == Min || h.Rule == Max) && (h.Rule == Min) != (side == v1alpha1.Higher) {
			continue
		}
		h.Value, h.Kinds = worst(h.Value), slices.Clone(h.Kinds)
		for k := range h.Kinds {
			if h.Kinds[k].Kind == part.Kind(at) {
				h.Kinds[k].Value = worst(h.Kinds[k].Value)
			}
		}
	}
}

// Doubt a rule that another attempt broke. Beside a number in doubt, a share proves nothing: it would be taken for what the Benchmark has in its place.
func (t *Terms) Doubt(metric, rule string) {
	held := len(t.Held)
	t.Held = slices.DeleteFunc(t.Held, func(h Term) bool { return h.Metric == metric && (h.Rule == rule || Replaces(h.Rule, rule)) })
	if len(t.Held) < held {
		t.Doubtful = append(t.Doubtful, Term{Metric: metric, Rule: rule})
	}
}

// BrokenBy are the terms that findings report, where nothing else is at hand: without limit and bound.
func BrokenBy(findings []v1alpha1.Finding) []Term {
	var broken []Term
	for _, f := range findings {
		known := slices.ContainsFunc(broken, func(t Term) bool { return t.Metric == f.Metric && t.Rule == f.Rule })
		if f.Verdict == v1alpha1.VerdictFail && !known {
			broken = append(broken, Term{Metric: f.Metric, Rule: f.Rule, At: f.At})
		}
	}
	return broken
}
