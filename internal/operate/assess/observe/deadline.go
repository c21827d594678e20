package observe

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/plan"
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

// PastDeadline: a run has had its time.
func PastDeadline(run *v1alpha1.ValidationRun, now time.Time) bool {
	_, deadline := began(run, now)
	return !now.Before(deadline)
}

// HalfOver is when the run has had half of its time.
func (s *Observed) HalfOver() time.Time { return s.Deadline.Add(-Allowed(s.Run) / 2) }

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

// nodeFacts reads a node the way the planner wants it.
func nodeFacts(n *ObservedNode) plan.Facts {
	if n.Node == nil {
		return plan.Facts{Lost: n.Stored != nil || len(n.Pods) > 0}
	}
	f := plan.Facts{Exists: true, Silent: true, Cordoned: n.Node.Spec.Unschedulable, NotReadySince: n.Node.CreationTimestamp.Time}
	for _, c := range n.Node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			f.Ready, f.Silent, f.NotReadySince = c.Status == corev1.ConditionTrue, c.Status == corev1.ConditionUnknown, c.LastTransitionTime.Time
		}
	}
	f.ReservedBy, f.LeavingBy = workload.Reserved(n.Node), workload.Leaving(n.Node)
	f.Recreated = n.Stored != nil && n.Stored.Node.UID != n.Node.UID || slices.ContainsFunc(n.Pods, func(p *ObservedPod) bool { return p.NodeUID != n.Node.UID })
	return f
}

// OutOfReach: nobody waits for a deleted pod on this node, as no kubelet hears of it.
func OutOfReach(node *corev1.Node, now time.Time) bool {
	return nodeFacts(&ObservedNode{Name: node.Name, Node: node}).OutOfReach(now)
}

// Unavailable says why a node cannot be measured with others now, nor soon. The deadline is no such reason.
func (s *Observed) Unavailable(n *ObservedNode) (d verdict.Decision, ok bool) {
	reason, message, wait := n.Facts.Unavailable(s.Now)
	switch {
	case reason != "" && wait.IsZero():
		d = verdict.Decision{Verdict: v1alpha1.VerdictSkipped, Reason: reason, Message: message}
		if !n.Facts.Exists || n.Facts.Recreated {
			d.Verdict = v1alpha1.VerdictError
		}
		return d, true
	case reason == "" && n.Busy != "" && SkipsBusy(s.Run):
		return verdict.Decision{Verdict: v1alpha1.VerdictSkipped, Reason: v1alpha1.ReasonNodeBusy, Message: n.Busy}, true
	}
	return d, false
}

// busySkipped is for how long a node counts as busy that was skipped, or not measured in time: it must not come and go.
const busySkipped = 5 * time.Minute

// SkipsBusy: spec.busyNodes is Skip, so that a busy node is not waited for.
func SkipsBusy(run *v1alpha1.ValidationRun) bool { return run.Spec.BusyNodes == v1alpha1.BusySkip }

// BusyFor is for how long a look at a node that found it busy counts.
func (in *Input) BusyFor() time.Duration {
	if SkipsBusy(in.Run) || PastDeadline(in.Run, in.Now) {
		return busySkipped
	}
	return plan.BusyRecheck
}
