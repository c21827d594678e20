package rule

import (
	"math"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

// judgedRule is a rule of one metric that had a bound.
type judgedRule struct {
	name   string
	worst  bounds.Value
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
func (mj *metricSheet) note(name, kind string, ruled bounds.Bound, value float64, parts int) {
	r := list.Among(&mj.rules, func(r *judgedRule) bool { return r.name == name }, judgedRule{name: name, worst: bounds.Value{By: ruled, Value: value}})
	mj.proves = mj.proves || name != term.Regression || !mj.subject.past.Provisional
	r.broken = r.broken || ruled.Shortfall(value) > 0
	side := r.worst.By.Side
	r.worst.Parts += int32(parts)
	r.worst.Value = bounds.Worse(side, r.worst.Value, value)
	k := list.Among(&r.kinds, func(k *kindWorst) bool { return k.kind == kind }, kindWorst{kind, value})
	k.worst = bounds.Worse(side, k.worst, value)
}

// heldTerms are the rules that all parts held. Parts of a node that is behind were compared with that node only, which proves little.
func (mj *metricSheet) heldTerms(m *v1alpha1.Metric) []term.Term {
	var held []term.Term
	for _, r := range mj.rules {
		if !r.broken && !(mj.behind && r.name == term.FleetDeviation) {
			t := term.Term{Metric: m.Name, Rule: r.name, RuleNumbers: r.worst.Numbers()}
			if len(r.kinds) > 1 {
				t.Kinds = list.Map(r.kinds[:min(len(r.kinds), maxKinds)], func(k kindWorst) v1alpha1.HeldValue {
					return v1alpha1.HeldValue{Kind: k.kind, Value: quantity.Decimal(k.worst, quantity.Exact)}
				})
			}
			t.Typical, t.Bound, t.Unit = "", "", m.Unit // what all hold breaks none
			held = append(held, t)
		}
	}
	return held
}

// metricSheet is what was found about one metric: the part to show is the worst failing one, if any.
type metricSheet struct {
	subject   *subject
	decided   bounds.Bound // the bound shown with the headline, where its state is bounded
	verdict   v1alpha1.Verdict
	shortfall float64
	waiting   bool
	proves    bool // a rule was held or broken that a node may pass by
	behind    bool // it is not as good as other nodes, as a whole
	// rules that had a bound for at least one part, and whether all parts held it.
	rules []judgedRule
	// lacks says what the others lacked.
	lacks []string
}

// show keeps what the headline shows: the worst failing part with the bound it broke, else the part it began with and
// the bound that leaves it the least room.
func (mj *metricSheet) show(s *subject, r bounds.Bound, shortfall float64) {
	switch {
	case shortfall > mj.shortfall:
		mj.subject, mj.decided, mj.shortfall, mj.verdict = s, r, shortfall, v1alpha1.VerdictFail
	case shortfall == 0 && mj.shortfall == 0 && s == mj.subject && (mj.decided.State != bounds.Bounded || room(s, r) < room(s, mj.decided)):
		mj.decided = r
	}
}

// room is how far a value is on the good side of a bound.
func room(s *subject, r bounds.Bound) float64 { return math.Abs(s.value - r.Edge) }
