package policy

import (
	"github.com/assay-dev/assay/api/v1alpha1"
)

// defaultHistory is how many finished runs are kept where the API server did not fill in the limits.
const defaultHistory = int32(3)

// cleanUp deletes finished runs: more than the history limits keep, and those whose own time to live is over.
func (p *pass) cleanUp() {
	left := map[bool]int32{true: defaultHistory, false: defaultHistory}
	if l := p.spec.SuccessfulRunsHistoryLimit; l != nil {
		left[true] = *l
	}
	if l := p.spec.FailedRunsHistoryLimit; l != nil {
		left[false] = *l
	}
	for _, run := range p.runs.own {
		if !over(run) || !run.DeletionTimestamp.IsZero() {
			continue
		}
		success := run.Status.Verdict == v1alpha1.VerdictPass
		if left[success]--; left[success] < 0 || p.outlived(run) {
			p.plan.Delete = append(p.plan.Delete, run.UID)
		}
	}
}

// outlived: the run's ttlSecondsAfterFinished has passed.
func (p *pass) outlived(run *v1alpha1.ValidationRun) bool {
	if run.Spec.TTLSecondsAfterFinished == nil || run.Status.CompletionTime == nil {
		return false
	}
	ends := run.Status.CompletionTime.Add(seconds(*run.Spec.TTLSecondsAfterFinished))
	p.wake(ends)
	return !p.now.Before(ends)
}
