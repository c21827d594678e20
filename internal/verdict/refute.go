package verdict

import (
	"fmt"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Refutes says whether a later measurement in which a rule held refutes a conviction by that rule; if not, why names what is missing.
// An administrator vouches for a Benchmark's own parameters and expectations, also where they were corrected since. What a run sets
// itself counts only where it asks as much. A rule that compares with others, or with the past, holds among equally slow nodes and after
// a slow while, too: the value must then meet the bound that convicted.
func Refutes(c *v1alpha1.Conviction, e *v1alpha1.HistoryEntry, h *v1alpha1.HeldRule) (ok bool, why string) {
	what := ruleOf(c)
	if h.Parts < c.Parts {
		return false, fmt.Sprintf("%s was judged at %d parts, of %d that convicted", what, h.Parts, c.Parts)
	}
	same := e.Configuration == c.Configuration
	catalogued := c.AsCatalogued && h.AsCatalogued
	meets := c.Bound != "" && holds(h.Value, c)
	if relative[c.Rule] && same && c.Bound != "" && !meets && !(catalogued && h.Limit != c.Limit) {
		return false, fmt.Sprintf("%s held at %s %s, which is still beyond the bound %s that convicted", what, h.Value, c.Unit, c.Bound)
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
	return false, fmt.Sprintf("this run asked for less: %s %s, convicted by %s", what, h.Limit, c.Limit)
}

// AsHard says whether a rule that held under some terms proves all that it would have proved under others.
func AsHard(a, b *v1alpha1.HistoryEntry, held, other *v1alpha1.HeldRule) bool {
	return held.Parts >= other.Parts && a.Configuration == b.Configuration && held.AsCatalogued == other.AsCatalogued && asStrict(held.Rule, held.Limit, other.Limit)
}

// Harder says whether a conviction asks at least as much of its refutation as another one by the same rule.
func Harder(c, than *v1alpha1.Conviction) bool {
	return c.Configuration == than.Configuration && (c.AsCatalogued || !than.AsCatalogued) && asStrict(c.Rule, c.Limit, than.Limit)
}

// Unjudged says why a rule that convicted had no verdict in a run.
func Unjudged(c *v1alpha1.Conviction, findings []v1alpha1.Finding) string {
	why := ""
	for _, f := range findings {
		if f.Metric == c.Metric && f.Rule == c.Rule {
			why = f.Message
			break
		}
	}
	return Clip(fmt.Sprintf("%s was not judged in this run%s", ruleOf(c), colon(why)), maxMessage)
}

func ruleOf(c *v1alpha1.Conviction) string {
	if c.Metric == "" {
		return c.Rule
	}
	return c.Rule + " of " + c.Metric
}

// relative rules take their bound from other measurements.
var relative = map[string]bool{ruleFleetDeviation: true, ruleRegression: true, RuleBlame: true}

// RuleBlame is the rule that compares nodes by their pairs.
const RuleBlame = "Blame"

// holds says whether a value is on the good side of the bound that convicted, which the value convicted was not.
func holds(value v1alpha1.Decimal, c *v1alpha1.Conviction) bool {
	v, ok1 := number(value)
	bound, ok2 := number(c.Bound)
	broke, ok3 := number(c.Value)
	r := ruling{bound: bound, side: v1alpha1.Higher}
	if broke > bound {
		r.side = v1alpha1.Lower
	}
	return ok1 && ok2 && ok3 && r.shortfall(v) == 0
}

// asStrict says whether the limit of a rule asks at least as much as another limit of the same rule.
func asStrict(rule string, limit, than v1alpha1.Decimal) bool {
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
