package verdict

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/fact"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// withFacts adds what the rules about facts found to a decision about speeds. A fact needs no second measurement: it is no sample of
// anything, and the next attempt would read the same. So it decides at once, and what else is suspect by then stays unproved.
func (d Decision) withFacts(j fact.Sheet) Decision {
	switch fails, missing := j.Of(v1alpha1.VerdictFail), j.Of(v1alpha1.VerdictMissing); {
	case len(fails) > 0 && d.Verdict == v1alpha1.VerdictFail:
		d.Message = message.Ending(d.Message, "; also, "+quantity.Clip(fails[0].Message, message.Longest/3))
	case len(fails) > 0:
		d = d.withoutSuspects()
		d.Verdict, d.Reason, d.NeedsAttempt, d.Suspicion = v1alpha1.VerdictFail, v1alpha1.ReasonBelowExpectation, false, ""
		d.Message = message.WithMore(fails[0].Message, len(fails)-1)
	case d.NeedsAttempt:
		return d // until that has decided
	case len(missing) > 0 && Severity(d.Verdict) < Severity(v1alpha1.VerdictMissing):
		d.Verdict, d.Reason, d.Message = v1alpha1.VerdictMissing, v1alpha1.ReasonMeasurementMissing, message.WithMore(missing[0].Message, len(missing)-1)
	case j.Waiting && (d.Verdict == v1alpha1.VerdictPass || d.Reason == v1alpha1.ReasonNotJudged):
		d.Verdict, d.Reason, d.Message = v1alpha1.VerdictPending, v1alpha1.ReasonMeasured, rule.AwaitsFleet(d.Message)
	}
	d.Findings = slices.Concat(d.Findings, j.Findings)
	slices.SortStableFunc(d.Findings, func(a, b v1alpha1.Finding) int { return rule.Rank(a) - rule.Rank(b) })
	d.Findings = d.Findings[:min(len(d.Findings), rule.MaxFindings)]
	d.Terms.Held, d.Terms.Broken = slices.Concat(d.Terms.Held, j.Held), slices.Concat(d.Terms.Broken, j.Broken)
	return d
}

// withoutSuspects is a decision without what one measurement found slow: it proves nothing.
func (d Decision) withoutSuspects() Decision {
	suspect := func(f v1alpha1.Finding) bool { return f.Verdict == v1alpha1.VerdictFail }
	d.Findings = slices.DeleteFunc(slices.Clone(d.Findings), suspect)
	d.Headline = slices.Clone(d.Headline)
	for i := range d.Headline {
		if h := &d.Headline[i]; h.Verdict == v1alpha1.VerdictFail {
			h.Verdict = v1alpha1.VerdictPass
		}
	}
	d.Terms.Broken = nil
	return d
}

// BySpeed: a rule about what was measured failed the node, not one about facts or data alone.
func (d Decision) BySpeed() bool {
	return d.Verdict == v1alpha1.VerdictFail && slices.ContainsFunc(d.Findings, func(f v1alpha1.Finding) bool {
		return f.Verdict == v1alpha1.VerdictFail && f.Rule != term.DataCheck && !fact.FactRules[f.Rule]
	})
}
