package assess

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// StalledStatus is the status of a run that cannot go on as it is: its spec cannot be resolved, the API server refuses what it
// needs, or something of it cannot be read. over: its time has passed.
func StalledStatus(run *v1alpha1.ValidationRun, reason string, cause error, over bool, now time.Time) v1alpha1.ValidationRunStatus {
	next := *run.Status.DeepCopy()
	next.ObservedGeneration = run.Generation
	next.StartTime = invalidStart(run, now)
	c := conditions{generation: run.Generation, now: metav1.NewTime(now), list: &next.Conditions}
	if over {
		next.Verdict = v1alpha1.VerdictError
		next.CompletionTime = &metav1.Time{Time: now.Truncate(time.Second)}
		c.finish(v1alpha1.VerdictError, reason, cause.Error())
		return next
	}
	next.Verdict = v1alpha1.VerdictPending
	c.say(metav1.ConditionFalse, metav1.ConditionFalse, reason, cause.Error(), v1alpha1.ConditionStalled, v1alpha1.ConditionSuspended)
	if run.Spec.Suspend { // for a reason of its own
		c.set(v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended, "spec.suspend is true: set it to false to resume")
	} else {
		meta.RemoveStatusCondition(c.list, v1alpha1.ConditionSuspended)
	}
	return next
}

// StuckStatus is the status of a run that is being deleted and cannot go yet.
func StuckStatus(run *v1alpha1.ValidationRun, why string, now time.Time) v1alpha1.ValidationRunStatus {
	status := *run.Status.DeepCopy()
	c := conditions{generation: run.Generation, now: metav1.NewTime(now), list: &status.Conditions}
	c.set(v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonUnreadable, why)
	return status
}

// InvalidDeadline is when a run that cannot go on is over: counted from its start, or else from its creation.
func InvalidDeadline(run *v1alpha1.ValidationRun, now time.Time) time.Time {
	from := run.CreationTimestamp.Time
	if start := invalidStart(run, now); start != nil {
		from = start.Time
	}
	return from.Add(observe.Allowed(run))
}

// invalidStart is when the run started; time suspended does not count. Nil: it has not.
func invalidStart(run *v1alpha1.ValidationRun, now time.Time) *metav1.Time {
	if observe.Resumed(run) {
		return &metav1.Time{Time: now.Truncate(time.Second)}
	}
	return run.Status.StartTime
}

// measuring is for a run that goes on.
func measuring(nodes int32, progress string) string {
	if nodes == 1 {
		return fmt.Sprintf("1 node is being measured, %s done", progress)
	}
	return fmt.Sprintf("%d nodes are being measured, %s done", nodes, progress)
}
