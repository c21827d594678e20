package verdict

import (
	"github.com/assay-dev/assay/api/v1alpha1"
)

// Decision is the verdict of one benchmark on one node, over all of its attempts.
type Decision struct {
	// Verdict is Pending while more is needed.
	Verdict  v1alpha1.Verdict
	Reason   string
	Message  string
	Headline []v1alpha1.HeadlineValue
	Findings []v1alpha1.Finding
	// NeedsAttempt: another attempt has to run before there can be a verdict.
	NeedsAttempt bool
}

// Decide judges a benchmark by its attempts, first to last.
func Decide(js []AttemptJudgement, confirmations int32) Decision {
	return Decision{Verdict: v1alpha1.VerdictPending}
}
