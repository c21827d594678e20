package assess

import (
	"fmt"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/verdict"
)

// CleanupGrace is how long a run that is over waits for its last pods; after that it is Finished and says so.
const CleanupGrace = 2 * time.Minute

// began is when the run started, now where it has not, and its deadline. Time suspended does not count.
func began(run *v1alpha1.ValidationRun, now time.Time) (started, deadline time.Time) {
	started = now
	if run.Status.StartTime != nil && !run.Spec.Suspend && !resumed(run) {
		started = run.Status.StartTime.Time
	}
	return started, started.Add(allowed(run))
}

func allowed(run *v1alpha1.ValidationRun) time.Duration {
	return time.Duration(*run.Spec.ActiveDeadlineSeconds) * time.Second
}

// LateToStart: a run that has never started has had its time, counted from its creation.
func LateToStart(run *v1alpha1.ValidationRun, now time.Time) bool {
	return !now.Before(run.CreationTimestamp.Add(allowed(run)))
}

func (s *state) overdue() bool { return !s.now.Before(s.deadline) }

// pastCleanup: the run is over, and its last pods had their time to go.
func (s *state) pastCleanup() bool { return !s.now.Before(s.deadline.Add(CleanupGrace)) }

// closed says why nothing more can be started on a node; ok is false where something can, or may yet.
func (s *state) closed(n *Node) (d verdict.Decision, ok bool) {
	d, ok = s.unavailable(n)
	if s.overdue() && (!ok || d.Reason == v1alpha1.ReasonNodeBusy) {
		return verdict.Decision{Verdict: v1alpha1.VerdictMissing, Reason: v1alpha1.ReasonDeadlineExceeded,
			Message: fmt.Sprintf("not measured within activeDeadlineSeconds (%d): raise it, or measure more nodes at once", *s.run.Spec.ActiveDeadlineSeconds)}, true
	}
	return d, ok
}
