package observe

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// CleanupGrace is how long a run that is over waits for its last pods; after that it is Finished and says so.
const CleanupGrace = 2 * time.Minute

// began is when the run started, now where it has not, and its deadline. Time suspended does not count.
func began(run *v1alpha1.ValidationRun, now time.Time) (started, deadline time.Time) {
	started = now
	if run.Status.StartTime != nil && !run.Spec.Suspend && !Resumed(run) {
		started = run.Status.StartTime.Time
	}
	return started, started.Add(Allowed(run))
}

// Allowed is how long a run may take.
func Allowed(run *v1alpha1.ValidationRun) time.Duration {
	return time.Duration(*run.Spec.ActiveDeadlineSeconds) * time.Second
}

// LateToStart: a run that has never started has had its time, counted from its creation.
func LateToStart(run *v1alpha1.ValidationRun, now time.Time) bool {
	return !now.Before(run.CreationTimestamp.Add(Allowed(run)))
}

// Overdue: the run has had its time.
func (s *Observed) Overdue() bool { return !s.Now.Before(s.Deadline) }

// PastCleanup: the run is over, and its last pods had their time to go.
func (s *Observed) PastCleanup() bool { return !s.Now.Before(s.Deadline.Add(CleanupGrace)) }

// Resumed: the run was suspended and is not any more.
func Resumed(run *v1alpha1.ValidationRun) bool {
	return !run.Spec.Suspend && meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionSuspended)
}

// Started: the run's start time is stored.
func Started(run *v1alpha1.ValidationRun) bool { return run.Status.StartTime != nil }
