package verdict

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
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
	for _, f := range findings {
		for i := range d.Headline {
			if d.Headline[i].Metric == f.Metric {
				d.Headline[i].Verdict = v1alpha1.VerdictFail
			}
		}
	}
	return d
}
