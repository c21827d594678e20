package verdict

import (
	"github.com/assay-dev/assay/api/v1alpha1"
)

// Term is one rule as it was applied to one metric.
type Term struct {
	// Metric, or the data check; empty: the data as a whole.
	Metric string
	Rule   string
	// Limit of the expectation, as it is written there; empty for a rule that needs none.
	Limit v1alpha1.Decimal
	// At, Value and Bound of the part that was worst, in Unit; of a broken term only.
	At, Unit     string
	Value, Bound v1alpha1.Decimal
}

// Terms are all rules that had enough data to judge: those that every part held, and those that a part broke, each once per
// metric. What a rule without enough data would have said is in neither.
type Terms struct {
	Held, Broken []Term
}

// judgedRule is a rule of one metric that had a bound.
type judgedRule struct {
	name   string
	limit  v1alpha1.Decimal
	broken bool
}

// note that a rule had a bound for a part.
func (mj *metricJudgement) note(name string, limit v1alpha1.Decimal, broken bool) {
	for i := range mj.rules {
		if mj.rules[i].name == name {
			mj.rules[i].broken = mj.rules[i].broken || broken
			return
		}
	}
	mj.rules = append(mj.rules, judgedRule{name, limit, broken})
}

func (mj *metricJudgement) heldTerms(m *v1alpha1.Metric) []Term {
	var held []Term
	for _, r := range mj.rules {
		if !r.broken {
			held = append(held, Term{Metric: m.Name, Rule: r.name, Limit: r.limit})
		}
	}
	return held
}

// terms of an attempt. Its findings are in order already: the worst part of a broken rule comes first.
func (j *judgement) terms() Terms {
	t := Terms{Held: j.held}
	seen := map[[2]string]bool{}
	for i := range j.findings {
		f := &j.findings[i]
		key := [2]string{f.Metric, f.Rule}
		if f.Verdict != v1alpha1.VerdictFail || seen[key] {
			continue
		}
		seen[key] = true
		term := Term{Metric: f.Metric, Rule: f.Rule, At: f.At}
		if f.broken.state == bounded {
			term.Limit, term.Unit = f.broken.limit, f.unit
			term.Value, term.Bound = decimal(f.value, -1), decimal(f.broken.bound, 9)
		}
		t.Broken = append(t.Broken, term)
	}
	return t
}

// BrokenBy are the terms that findings tell of, where the judgement itself is not at hand: without limit and bound.
func BrokenBy(findings []v1alpha1.Finding) []Term {
	var broken []Term
	seen := map[[2]string]bool{}
	for _, f := range findings {
		if key := [2]string{f.Metric, f.Rule}; f.Verdict == v1alpha1.VerdictFail && !seen[key] {
			seen[key] = true
			broken = append(broken, Term{Metric: f.Metric, Rule: f.Rule, At: f.At})
		}
	}
	return broken
}

// Holds says whether a value is on the good side of a bound of a rule, for a metric that is better higher or lower.
func Holds(value, bound v1alpha1.Decimal, rule string, better v1alpha1.Direction) bool {
	v, ok1 := number(value)
	b, ok2 := number(bound)
	r := ruling{bound: b, side: v1alpha1.Higher}
	if rule == ruleMax || rule != ruleMin && better == v1alpha1.Lower {
		r.side = v1alpha1.Lower
	}
	return ok1 && ok2 && r.shortfall(v) == 0
}

// AsStrict says whether the limit of a rule asks at least as much as another limit of the same rule.
func AsStrict(rule string, limit, than v1alpha1.Decimal) bool {
	l, ok1 := number(limit)
	t, ok2 := number(than)
	if !ok1 || !ok2 {
		return limit == than
	}
	if rule == ruleMin || rule == ruleFractionOfPeak {
		return l >= t
	}
	return l <= t
}

// At is the value that the deciding attempt measured at a part, in the unit of the metric; false where it measured none.
func (d Decision) At(m *v1alpha1.Metric, at string) (v1alpha1.Decimal, bool) {
	if d.Attempt == nil {
		return "", false
	}
	for _, v := range Values(d.Attempt, m) {
		if v.At == at {
			return decimal(v.Value, -1), true
		}
	}
	return "", false
}
