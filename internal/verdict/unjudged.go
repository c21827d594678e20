package verdict

import "github.com/assay-dev/assay/api/v1alpha1"

// ComparedElsewhere is the judgement of an attempt that others than these rules compare as well: one that nothing here could judge
// passes.
func (j AttemptJudgement) ComparedElsewhere() AttemptJudgement {
	if j.Reason == v1alpha1.ReasonNotJudged {
		j.Verdict, j.Reason = v1alpha1.VerdictPass, v1alpha1.ReasonPassed
	}
	return j
}
