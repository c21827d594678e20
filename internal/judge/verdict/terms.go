package verdict

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// Term is one rule as it was applied to one metric.
type Term struct {
	// Metric, or the data check; empty: the data as a whole.
	Metric string
	Rule   string
	// Limit of the expectation, as it is written there; empty for a rule that needs none.
	Limit v1alpha1.Decimal
	// Value of the worst part, in Unit, or of all of them together where the rule judges that; Parts that had a bound.
	Value v1alpha1.Decimal
	Unit  string
	Parts int32
	// Kinds of parts with the worst value of each, of a held term about several.
	Kinds []v1alpha1.HeldValue
	// At and Bound of the worst part, of a broken term only.
	At    string
	Bound v1alpha1.Decimal
	// Expected value of a fact that differs from most nodes.
	Expected string
}

// Terms are all rules that had enough data to judge: those that every part held, and those that a part broke, each once per
// metric. A rule with too little data is in neither. Doubtful are those that held where it counts, but not in every attempt: by metric and
// rule only.
type Terms struct {
	Held, Broken, Doubtful []Term
}

// judgedRule is a rule of one metric that had a bound.
type judgedRule struct {
	name   string
	limit  v1alpha1.Decimal
	side   v1alpha1.Direction
	worst  float64
	parts  int32
	broken bool
	kinds  []kindWorst
}

// kindWorst is the worst value of a kind of part.
type kindWorst struct {
	kind  string
	worst float64
}

// maxKinds is the bound of HeldRule.kinds.
const maxKinds = 16

// note that a rule had a bound for a value of one part of a kind, or of several together.
func (mj *metricJudgement) note(name, kind string, ruled ruling, value float64, parts int) {
	i := slices.IndexFunc(mj.rules, func(r judgedRule) bool { return r.name == name })
	if i < 0 {
		i = len(mj.rules)
		mj.rules = append(mj.rules, judgedRule{name: name, limit: ruled.limit, side: ruled.side, worst: value})
	}
	r := &mj.rules[i]
	r.broken = r.broken || ruled.shortfall(value) > 0
	r.parts += int32(parts)
	r.worst = r.worse(r.worst, value)
	k := slices.IndexFunc(r.kinds, func(k kindWorst) bool { return k.kind == kind })
	if k < 0 {
		r.kinds = append(r.kinds, kindWorst{kind, value})
		return
	}
	r.kinds[k].worst = r.worse(r.kinds[k].worst, value)
}

func (r *judgedRule) worse(a, b float64) float64 {
	if r.side == v1alpha1.Lower {
		return max(a, b)
	}
	return min(a, b)
}

// byKind are the worst values by kind, where there are several.
func (r *judgedRule) byKind() []v1alpha1.HeldValue {
	if len(r.kinds) < 2 {
		return nil
	}
	var all []v1alpha1.HeldValue
	for _, k := range r.kinds[:min(len(r.kinds), maxKinds)] {
		all = append(all, v1alpha1.HeldValue{Kind: k.kind, Value: quantity.Decimal(k.worst, quantity.Exact)})
	}
	return all
}

// heldTerms are the rules that all parts held. Parts of a node that is behind were compared with that node only, which proves little.
func (mj *metricJudgement) heldTerms(m *v1alpha1.Metric) []Term {
	var held []Term
	for _, r := range mj.rules {
		if !r.broken && !(mj.behind && r.name == ruleFleetDeviation) {
			held = append(held, Term{Metric: m.Name, Rule: r.name, Limit: r.limit, Value: quantity.Decimal(r.worst, quantity.Exact), Unit: m.Unit,
				Parts: r.parts, Kinds: r.byKind()})
		}
	}
	return held
}

// terms of an attempt. Its findings are in order already: the worst part of a broken rule comes first.
func (j *judgement) terms() Terms {
	t := Terms{Held: j.held}
	for i := range j.findings {
		f := &j.findings[i]
		if f.Verdict != v1alpha1.VerdictFail || known(t.Broken, f.Finding) {
			continue
		}
		term := Term{Metric: f.Metric, Rule: f.Rule, At: f.At}
		if f.broken.state == bounded {
			term.Limit, term.Unit, term.Parts = f.broken.limit, f.unit, j.parts[[2]string{f.Metric, f.Rule}]
			term.Value, term.Bound = quantity.Decimal(f.value, quantity.Exact), quantity.Decimal(f.broken.bound, boundDigits)
		}
		t.Broken = append(t.Broken, term)
	}
	return t
}

// doubtValue of a part that an attempt found slow: whichever rules held, they did so by no better value than that.
func (t *Terms) doubtValue(metric, at string, value float64, side v1alpha1.Direction) {
	r := judgedRule{side: side}
	worse := func(known v1alpha1.Decimal) v1alpha1.Decimal {
		if v, ok := quantity.ParseDecimal(known); ok && r.worse(v, value) != v {
			return quantity.Decimal(value, quantity.Exact)
		}
		return known
	}
	t.Held = slices.Clone(t.Held)
	for i := range t.Held {
		h := &t.Held[i]
		if h.Metric != metric || !inUnit[h.Rule] || (h.Rule == ruleMin || h.Rule == ruleMax) && (h.Rule == ruleMin) != (side == v1alpha1.Higher) {
			continue
		}
		h.Value, h.Kinds = worse(h.Value), slices.Clone(h.Kinds)
		for k := range h.Kinds {
			if h.Kinds[k].Kind == PartKind(at) {
				h.Kinds[k].Value = worse(h.Kinds[k].Value)
			}
		}
	}
}

// doubt a rule that another attempt broke.
func (t *Terms) doubt(metric, rule string) {
	held := len(t.Held)
	t.Held = slices.DeleteFunc(t.Held, func(h Term) bool { return h.Metric == metric && h.Rule == rule })
	if len(t.Held) < held {
		t.Doubtful = append(t.Doubtful, Term{Metric: metric, Rule: rule})
	}
}

func known(terms []Term, f v1alpha1.Finding) bool {
	return slices.ContainsFunc(terms, func(t Term) bool { return t.Metric == f.Metric && t.Rule == f.Rule })
}

// BrokenBy are the terms that findings report, where the judgement itself is not at hand: without limit and bound.
func BrokenBy(findings []v1alpha1.Finding) []Term {
	var broken []Term
	for _, f := range findings {
		if f.Verdict == v1alpha1.VerdictFail && !known(broken, f) {
			broken = append(broken, Term{Metric: f.Metric, Rule: f.Rule, At: f.At})
		}
	}
	return broken
}
