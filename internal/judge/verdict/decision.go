package verdict

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/fact"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// Decision is the verdict of one benchmark on one node, over all of its attempts.
type Decision struct {
	// Verdict is Pending while more is needed.
	Verdict  v1alpha1.Verdict
	Reason   string
	Message  string
	Headline []v1alpha1.HeadlineValue
	Curves   []v1alpha1.Curve
	Findings []v1alpha1.Finding
	// NeedsAttempt: another attempt has to run before there can be a verdict. It is false while one still runs.
	NeedsAttempt bool
	// Crowded: the last attempt does not count, because others were at work on the host. The next one waits for them.
	Crowded bool
	// Suspicion is what another attempt is needed for.
	Suspicion string
	// Terms of the attempt that decided, or of the mean of all of them.
	Terms term.Terms
	// Cleared are the parts that were suspect in one attempt and not in others: they come and go.
	Cleared []v1alpha1.PartReference
}

// alone is the decision where what one attempt came to is all there is.
func alone(j *rule.Outcome) Decision {
	return Decision{Verdict: j.Verdict, Reason: j.Reason, Message: j.Message, Headline: j.Headline, Curves: j.Curves,
		Findings: j.Findings, Terms: j.Terms}
}

// marked is a headline of which those values have a verdict of which something is true.
func marked(headline []v1alpha1.HeadlineValue, v v1alpha1.Verdict, is func(*v1alpha1.HeadlineValue) bool) []v1alpha1.HeadlineValue {
	headline = slices.Clone(headline)
	for h := range list.Each(headline) {
		if is(h) {
			h.Verdict = v
		}
	}
	return headline
}

// Blame adds what the tournament of pairs found about a node to the decision about its figures: it fails for a finding,
// which was confirmed in the tournament itself.
func (d Decision) Blame(findings []v1alpha1.Finding) Decision {
	if len(findings) == 0 {
		return d
	}
	d.Findings = slices.Concat(findings, d.Findings)
	d.Findings = d.Findings[:min(len(d.Findings), rule.MaxFindings)]
	d.Terms.Broken = slices.Concat(term.BrokenBy(findings), d.Terms.Broken)
	if d.Verdict != v1alpha1.VerdictFail {
		d.Verdict, d.Reason, d.Message = v1alpha1.VerdictFail, v1alpha1.ReasonBelowExpectation, findings[0].Message
	}
	d.Headline = marked(d.Headline, v1alpha1.VerdictFail, func(h *v1alpha1.HeadlineValue) bool {
		return slices.ContainsFunc(findings, func(f v1alpha1.Finding) bool { return f.Metric == h.Metric })
	})
	return d
}

// NotJudged is the decision where a headline metric could be compared with nothing; lacks says why.
func (d Decision) NotJudged(m *v1alpha1.Metric, lacks string) Decision {
	d.Verdict, d.Reason = v1alpha1.VerdictInconclusive, v1alpha1.ReasonNotJudged
	d.Message = quantity.Clip(rule.NothingJudged(m.Name, []string{lacks}, true, "", cmp.Or(m.Better, v1alpha1.Higher)), message.Longest)
	d.Headline = marked(d.Headline, v1alpha1.VerdictInconclusive, func(h *v1alpha1.HeadlineValue) bool { return h.Metric == m.Name })
	return d
}

// ComparedElsewhere is the decision about what is judged as a part of a whole.
func (d Decision) ComparedElsewhere() Decision {
	if d.Reason == v1alpha1.ReasonNotJudged {
		d.Verdict, d.Reason = v1alpha1.VerdictPass, v1alpha1.ReasonPassed
		d.Headline = marked(d.Headline, v1alpha1.VerdictPass, func(h *v1alpha1.HeadlineValue) bool { return h.Verdict == v1alpha1.VerdictInconclusive })
	}
	return d
}

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
	d.Findings = slices.DeleteFunc(slices.Clone(d.Findings), func(f v1alpha1.Finding) bool { return f.Verdict == v1alpha1.VerdictFail })
	d.Headline = marked(d.Headline, v1alpha1.VerdictPass, func(h *v1alpha1.HeadlineValue) bool { return h.Verdict == v1alpha1.VerdictFail })
	d.Terms.Broken = nil
	return d
}

// BySpeed: a rule about what was measured failed the node, not one about facts or data alone.
func (d Decision) BySpeed() bool {
	return d.Verdict == v1alpha1.VerdictFail && slices.ContainsFunc(d.Findings, func(f v1alpha1.Finding) bool {
		return f.Verdict == v1alpha1.VerdictFail && f.Rule != term.DataCheck && !fact.FactRules[f.Rule]
	})
}
