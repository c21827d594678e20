package policy

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// defaultHistory is how many finished runs are kept where the API server did not fill in the limits.
const defaultHistory = int32(3)

// outlived are finished runs of the policy to be deleted: more than the history limits keep, and those whose own time to live is over. Others follow at
// next.
func (u *understood) outlived() (outlived []types.UID, next alarm) {
	left := map[bool]int32{true: defaultHistory, false: defaultHistory}
	if l := u.spec.SuccessfulRunsHistoryLimit; l != nil {
		left[true] = *l
	}
	if l := u.spec.FailedRunsHistoryLimit; l != nil {
		left[false] = *l
	}
	for _, run := range u.runs.own {
		if !over(run) || !run.DeletionTimestamp.IsZero() {
			continue
		}
		success := run.Status.Verdict == v1alpha1.VerdictPass
		ends := endOf(run)
		if left[success]--; left[success] < 0 || !ends.IsZero() && !u.now.Before(ends) {
			outlived = append(outlived, run.UID)
		} else {
			u.wake(&next, ends)
		}
	}
	return outlived, next
}

// endOf a run's ttlSecondsAfterFinished; zero: it has none.
func endOf(run *v1alpha1.ValidationRun) time.Time {
	if run.Spec.TTLSecondsAfterFinished == nil || run.Status.CompletionTime == nil {
		return time.Time{}
	}
	return run.Status.CompletionTime.Add(seconds(*run.Spec.TTLSecondsAfterFinished))
}
