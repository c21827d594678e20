package term

import (
	"fmt"
	"math"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// Refutes says whether a later measurement in which a rule held refutes a conviction by that rule; if not, why names what is missing.
// An administrator vouches for a Benchmark's own parameters and expectations, also where they were corrected since, and whatever a run had
// set itself to convict. What a run sets itself counts only where it asks as much. A rule that compares with others holds among equally slow ones, too: the value must then meet
// the bound that convicted. A part's own past needs no such care: a slow while is not in it (its baseline is frozen, only passes count).
func Refutes(c *v1alpha1.Conviction, e *v1alpha1.HeldRules, h *v1alpha1.HeldRule) (ok bool, why string) {
	if h.Parts < c.Parts {
		return false,
			fmt.Sprintf("%s was judged at %s, and at %d when it convicted", RuleOf(c.Rule, c.Metric), message.Several(int(h.Parts), "part"), c.Parts)
	}
	same := e.Configuration == c.Configuration
	catalogued := h.AsCatalogued
	value := heldBy(c, h)
	meets := c.Bound != "" && holds(value, c)
	if relative[c.Rule] && same && c.Bound != "" && !meets && !(catalogued && h.Limit != c.Limit) {
		return false, stillBeyond(c, value)
	}
	if catalogued {
		return true, ""
	}
	if !same && e.OwnParameters {
		return false, fmt.Sprintf("this run measured %s with parameters of its own: run it as the Benchmark has them", c.Benchmark)
	}
	if asStrict(c.Rule, h.Limit, c.Limit) || meets {
		return true, ""
	}
	return false, fmt.Sprintf("this run asked for less: %s %s, convicted by %s", RuleOf(c.Rule, c.Metric), h.Limit, c.Limit)
}

// Meets says whether a later pass in the same configuration meets the bound that convicted, as another rule that held shows: the rule that convicted
// may have had nothing to compare it with. The worst value of all parts speaks for the one that was convicted.
func Meets(c *v1alpha1.Conviction, e *v1alpha1.HeldRules, h *v1alpha1.HeldRule) bool {
	return e.Verdict == v1alpha1.VerdictPass && e.Configuration == c.Configuration && h.Parts >= c.Parts && c.Bound != "" &&
		speaksFor(h.Rule, c) && holds(heldBy(c, h), c)
}

// Replaced says whether a later pass shows that the Benchmark has a share of a peak now in place of the number that convicted: had it the number still, that would
// be held as well, or in doubt, and the share with it.
func Replaced(c *v1alpha1.Conviction, e *v1alpha1.HeldRules, h *v1alpha1.HeldRule) bool {
	return Replaces(h.Rule, c.Rule) && e.Verdict == v1alpha1.VerdictPass && h.AsCatalogued && h.Parts >= c.Parts
}

// Replaces: an administrator may put a share in the place of a number. Where a number is in the place of a share, nobody can tell: the peak may just not have been known.
func Replaces(share, number string) bool {
	return (share == FractionOfPeak || share == FractionOfReached) && (number == Min || number == Max)
}

// speaksFor: the worst value by a rule is the worst on the side that convicted. That of a minimum is the least, and of a maximum the greatest,
// whichever is better; that of all others is on the worse side. An efficiency is no value of the metric.
func speaksFor(rule string, c *v1alpha1.Conviction) bool {
	sided := func(rule string) bool { return rule == Min || rule == Max }
	value, _ := quantity.ParseDecimal(c.Value)
	bound, _ := quantity.ParseDecimal(c.Bound)
	switch {
	case !InUnit[rule] || !InUnit[c.Rule]:
		return false
	case sided(rule):
		return (rule == Min) == (value < bound)
	}
	return !sided(c.Rule)
}

// heldBy is the worst value of the kind of part that was convicted: a socket never reaches what the node does. A conviction of the node by
// the level of its parts does not name their kind; it is the one whose level is nearest.
func heldBy(c *v1alpha1.Conviction, h *v1alpha1.HeldRule) v1alpha1.Decimal {
	best, least := h.Value, math.Inf(1)
	convicted, _ := quantity.ParseDecimal(c.Value)
	for _, k := range h.Kinds {
		if c.Rule != NodeDeviation && k.Kind == part.Kind(c.At) {
			return k.Value
		}
		v, _ := quantity.ParseDecimal(k.Value)
		if apart := math.Abs(math.Log(v / convicted)); c.Rule == NodeDeviation && apart < least {
			best, least = k.Value, apart
		}
	}
	return best
}

// AsHard says whether a rule that held under some terms proves all that it would have proved under others.
func AsHard(a, b *v1alpha1.HeldRules, held, other *v1alpha1.HeldRule) bool {
	return held.Parts >= other.Parts && a.Configuration == b.Configuration && held.AsCatalogued == other.AsCatalogued && asStrict(held.Rule, held.Limit, other.Limit)
}

// Harder says whether a conviction asks at least as much of its refutation as another one by the same rule.
func Harder(c, than *v1alpha1.Conviction) bool {
	return c.Configuration == than.Configuration && c.Parts >= than.Parts && (c.AsCatalogued || !than.AsCatalogued) && asStrict(c.Rule, c.Limit, than.Limit) &&
		(!relative[c.Rule] || than.Bound == "" || holds(c.Bound, than))
}

// stillBeyond: the value under which a rule held is on the bad side of the bound that convicted.
func stillBeyond(c *v1alpha1.Conviction, held v1alpha1.Decimal) string {
	value, _ := quantity.ParseDecimal(held)
	bound, _ := quantity.ParseDecimal(c.Bound)
	s := quantity.NewScale(c.Unit, value, bound)
	return fmt.Sprintf("%s held at %s, which still misses the bound of %s that convicted", RuleOf(c.Rule, c.Metric), s.Format(value), s.Format(bound))
}

// holds says whether a value is on the good side of the bound that convicted, which the value convicted was not.
func holds(value v1alpha1.Decimal, c *v1alpha1.Conviction) bool {
	v, ok1 := quantity.ParseDecimal(value)
	bound, ok2 := quantity.ParseDecimal(c.Bound)
	broke, ok3 := quantity.ParseDecimal(c.Value)
	r := bounds.Bound{Edge: bound, Side: v1alpha1.Higher}
	if broke > bound {
		r.Side = v1alpha1.Lower
	}
	return ok1 && ok2 && ok3 && r.Shortfall(v) == 0
}

// asStrict says whether the limit of a rule asks at least as much as another limit of the same rule.
func asStrict(rule string, limit, than v1alpha1.Decimal) bool {
	l, ok1 := quantity.ParseDecimal(limit)
	t, ok2 := quantity.ParseDecimal(than)
	if !ok1 || !ok2 {
		return limit == than
	}
	if rule == Min || rule == FactAtLeast || rule == Devices || rule == FractionOfPeak || rule == FractionOfReached || rule == Efficiency {
		return l >= t
	}
	return l <= t
}

// RuleOf names a rule and what it judges: "Min of hbmTriad".
func RuleOf(rule, metric string) string {
	if metric == "" {
		return rule
	}
	return rule + " of " + metric
}
