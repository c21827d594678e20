package verdict

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
)

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
