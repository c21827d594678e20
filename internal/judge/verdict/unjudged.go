package verdict

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// NotJudged is the decision where a headline metric could be compared with nothing; lacks says why.
func (d Decision) NotJudged(m *v1alpha1.Metric, lacks string) Decision {
	d.Verdict, d.Reason = v1alpha1.VerdictInconclusive, v1alpha1.ReasonNotJudged
	d.Message = quantity.Clip(rule.NothingJudged(m.Name, []string{lacks}, true, "", cmp.Or(m.Better, v1alpha1.Higher)), message.Longest)
	d.Headline = slices.Clone(d.Headline)
	for i := range d.Headline {
		if d.Headline[i].Metric == m.Name {
			d.Headline[i].Verdict = v1alpha1.VerdictInconclusive
		}
	}
	return d
}

// ComparedElsewhere is the decision about what is judged as a part of a whole.
func (d Decision) ComparedElsewhere() Decision {
	if d.Reason == v1alpha1.ReasonNotJudged {
		d.Verdict, d.Reason, d.Headline = v1alpha1.VerdictPass, v1alpha1.ReasonPassed, slices.Clone(d.Headline)
		for i := range d.Headline {
			if d.Headline[i].Verdict == v1alpha1.VerdictInconclusive {
				d.Headline[i].Verdict = v1alpha1.VerdictPass
			}
		}
	}
	return d
}
