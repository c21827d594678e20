package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/verdict"
)

// maxConditionMessage keeps a condition readable in a terminal.
const maxConditionMessage = 2048

// conclude sets verdict and conditions: that it is over (Finished) apart from how it went (Succeeded), and what GitOps
// tools read (Reconciling and Stalled are present only while True).
func (s *scope) conclude(next *v1alpha1.ValidationRunStatus, over bool) {
	c := conditions{generation: s.run.Generation, now: metav1.NewTime(s.now), list: &next.Conditions}
	if !over {
		next.Verdict = v1alpha1.VerdictPending
		s.goesOn(c, next)
		return
	}
	worst := ""
	if len(next.Nodes) > 0 {
		worst = next.Nodes[0].Name
	}
	facts := verdict.RunFacts{Summary: *next.Summary, BreakerOpen: s.breaker.open, BreakerMessage: s.breaker.message,
		DeadlineExceeded: s.missing(), Findings: len(s.findings), WorstNode: worst, WorstMessage: worstMessage(next.Nodes)}
	if len(s.findings) > 0 {
		facts.Finding = s.findings[0].Message
	}
	v, reason, message := verdict.Run(facts)
	if left := s.podsLeft(); left != "" && s.failed == nil {
		message += "; " + left
	}
	if next.LastWriteError != "" {
		message = verdict.Clip(message, maxConditionMessage/2) + "; given up at the deadline: " + next.LastWriteError
	}
	next.Verdict = v
	next.CompletionTime = &metav1.Time{Time: s.now.Truncate(time.Second)}
	c.finish(v, reason, message)
}

func worstMessage(rows []v1alpha1.NodeRow) string {
	if len(rows) == 0 {
		return ""
	}
	return rows[0].Message
}

// missing: the deadline cost at least one node its verdict.
func (s *scope) missing() bool {
	for _, n := range s.nodes {
		for _, d := range n.decisions {
			if d.Reason == v1alpha1.ReasonDeadlineExceeded {
				return true
			}
		}
	}
	return false
}

// ending says what a run waits for that has all verdicts.
func (s *scope) ending() string {
	var left []string
	for _, n := range s.nodes {
		for _, p := range n.pods {
			left = append(left, fmt.Sprintf("pod %s to end on node %s", p.pod.Name, n.name))
		}
	}
	for _, p := range s.leftovers {
		left = append(left, fmt.Sprintf("pod %s to end on node %s", p.Name, p.Spec.NodeName))
	}
	for _, g := range s.sortedGroups() {
		for _, j := range g.jobs {
			left = append(left, fmt.Sprintf("MPIJob %s to end", j.name))
		}
	}
	switch len(left) {
	case 0:
		return "what was found is being stored"
	case 1:
		return "waiting for " + left[0]
	}
	return fmt.Sprintf("waiting for %s, and for %d more", left[0], len(left)-1)
}

// podsLeft names a pod that did not go in time.
func (s *scope) podsLeft() string {
	for _, n := range s.nodes {
		for _, p := range n.pods {
			return fmt.Sprintf("pod %s/%s is still ending on node %s: a process may hang in a driver; look at the node",
				p.pod.Namespace, p.pod.Name, n.name)
		}
	}
	for _, p := range s.leftovers {
		return fmt.Sprintf("pod %s/%s of an MPIJob is still ending on node %s: a process may hang; look at the node", p.Namespace, p.Name, p.Spec.NodeName)
	}
	for _, g := range s.sortedGroups() {
		for _, j := range g.jobs {
			return fmt.Sprintf("MPIJob %s is still ending", j.name)
		}
	}
	return ""
}

// goesOn sets the conditions of a run that is not over.
func (s *scope) goesOn(c conditions, next *v1alpha1.ValidationRunStatus) {
	if s.run.Spec.Suspend {
		message := fmt.Sprintf("spec.suspend is true: %s nodes are done; set it to false to go on", next.Progress)
		c.set(v1alpha1.ConditionFinished, metav1.ConditionFalse, v1alpha1.ReasonSuspended, message)
		c.set(v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonSuspended, message)
		c.set(v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended, message)
		c.remove(v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled)
		return
	}
	reason, message := v1alpha1.ReasonRunning, fmt.Sprintf("%d nodes are being measured, %s done", next.Summary.Running, next.Progress)
	if next.Summary.Running+next.Summary.Pending == 0 {
		message = fmt.Sprintf("%s done; %s", next.Progress, s.ending())
	}
	if len(s.plan.Waiting) > 0 && s.plan.Active == 0 {
		reason = v1alpha1.ReasonWaiting
		for _, n := range s.nodes {
			if why, ok := s.plan.Waiting[n.name]; ok {
				message = fmt.Sprintf("%s done; node %s: %s", next.Progress, n.name, why)
				break
			}
		}
	}
	if next.LastWriteError != "" {
		message = verdict.Clip(message, maxConditionMessage/2) + "; it is tried again: " + next.LastWriteError
	}
	c.set(v1alpha1.ConditionFinished, metav1.ConditionFalse, reason, message)
	c.set(v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, reason, message)
	c.set(v1alpha1.ConditionReconciling, metav1.ConditionTrue, reason, message)
	c.remove(v1alpha1.ConditionStalled, v1alpha1.ConditionSuspended)
}

// conditions writes conditions of one generation at one time.
type conditions struct {
	generation int64
	now        metav1.Time
	list       *[]metav1.Condition
}

func (c conditions) set(kind string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(c.list, metav1.Condition{Type: kind, Status: status, Reason: reason,
		Message: verdict.Clip(message, maxConditionMessage), ObservedGeneration: c.generation})
}

func (c conditions) remove(kinds ...string) {
	for _, k := range kinds {
		meta.RemoveStatusCondition(c.list, k)
	}
}

// finish sets the conditions of a run that is over.
func (c conditions) finish(v v1alpha1.Verdict, reason, message string) {
	c.set(v1alpha1.ConditionFinished, metav1.ConditionTrue, reason, message)
	c.remove(v1alpha1.ConditionReconciling, v1alpha1.ConditionSuspended)
	switch v {
	case v1alpha1.VerdictPass:
		c.set(v1alpha1.ConditionSucceeded, metav1.ConditionTrue, reason, message)
		c.remove(v1alpha1.ConditionStalled)
		return
	case v1alpha1.VerdictFail, v1alpha1.VerdictError:
		c.set(v1alpha1.ConditionSucceeded, metav1.ConditionFalse, reason, message)
	default:
		c.set(v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, reason, message)
	}
	c.set(v1alpha1.ConditionStalled, metav1.ConditionTrue, reason, message)
}

// cannotStart tells a run what keeps it from its start, and is tried again. What may pass by itself is told of only at the deadline: then
// the run is over, whatever it was.
func (r *RunReconciler) cannotStart(ctx context.Context, run *v1alpha1.ValidationRun, cause error) (reconcile.Result, error) {
	late := !r.Clock.Now().Before(run.CreationTimestamp.Add(time.Duration(*run.Spec.ActiveDeadlineSeconds) * time.Second))
	if !late && !apierrors.IsForbidden(cause) && !apierrors.IsInvalid(cause) && !apierrors.IsRequestEntityTooLargeError(cause) {
		return reconcile.Result{}, cause
	}
	again, err := r.invalid(ctx, run, invalidf("the run cannot start: %s", cause))
	if late && err == nil {
		return again, nil
	}
	return again, errors.Join(cause, err)
}

// invalid tells a run that cannot start what is wrong with it. It starts by itself once that is put right; at its deadline,
// counted from its creation, it is over.
func (r *RunReconciler) invalid(ctx context.Context, run *v1alpha1.ValidationRun, cause error) (reconcile.Result, error) {
	if !errors.Is(cause, errInvalid) {
		return reconcile.Result{}, cause
	}
	now := r.Clock.Now()
	next := *run.Status.DeepCopy()
	next.ObservedGeneration = run.Generation
	if resumed(run) { // time suspended does not count
		next.StartTime = &metav1.Time{Time: now.Truncate(time.Second)}
	}
	from := run.CreationTimestamp.Time
	if next.StartTime != nil {
		from = next.StartTime.Time
	}
	deadline := from.Add(time.Duration(*run.Spec.ActiveDeadlineSeconds) * time.Second)
	over, pastGrace := !now.Before(deadline) && !run.Spec.Suspend, !now.Before(deadline.Add(cleanupGrace))
	left, err := 0, error(nil)
	if over || run.Spec.Suspend {
		left, err = r.deleteAllPods(ctx, run)
	}
	if err != nil {
		if !over || !pastGrace {
			return reconcile.Result{}, err
		}
		cause = fmt.Errorf("%w; its pods could not be deleted: %w", cause, err)
	}
	again := reconcile.Result{RequeueAfter: lookAtInvalid(run, deadline.Sub(now), left)}
	if over && left > 0 && !pastGrace {
		return again, nil
	}
	concludeInvalid(run, &next, cause, over, now)
	if equality.Semantic.DeepEqual(run.Status, next) {
		return again, nil
	}
	if err := r.patchStatus(ctx, run, next); err != nil {
		return reconcile.Result{}, err
	}
	r.announceInvalid(run, cause, over)
	return again, nil
}

// lookAtInvalid is when an invalid run is looked at again, with so many pods left of it.
func lookAtInvalid(run *v1alpha1.ValidationRun, toDeadline time.Duration, left int) time.Duration {
	switch {
	case left > 0:
		return recheck
	case run.Spec.Suspend:
		return 0
	}
	return max(toDeadline, 0)
}

// announceInvalid tells of a run that is invalid, after its status says so.
func (r *RunReconciler) announceInvalid(run *v1alpha1.ValidationRun, cause error, over bool) {
	r.Recorder.Eventf(run, nil, corev1.EventTypeWarning, v1alpha1.ReasonInvalid, "Validate", "%s", verdict.Clip(cause.Error(), 1000))
	if over {
		r.Metrics.RunFinished(v1alpha1.VerdictError)
	}
}

// concludeInvalid sets verdict and conditions of a run whose spec cannot be resolved.
func concludeInvalid(run *v1alpha1.ValidationRun, next *v1alpha1.ValidationRunStatus, cause error, over bool, now time.Time) {
	c := conditions{generation: run.Generation, now: metav1.NewTime(now), list: &next.Conditions}
	if over {
		next.Verdict = v1alpha1.VerdictError
		next.CompletionTime = &metav1.Time{Time: now.Truncate(time.Second)}
		c.finish(v1alpha1.VerdictError, v1alpha1.ReasonInvalid, cause.Error())
		return
	}
	next.Verdict = v1alpha1.VerdictPending
	c.set(v1alpha1.ConditionFinished, metav1.ConditionFalse, v1alpha1.ReasonInvalid, cause.Error())
	c.set(v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonInvalid, cause.Error())
	c.set(v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonInvalid, cause.Error())
	c.remove(v1alpha1.ConditionReconciling, v1alpha1.ConditionSuspended)
	if run.Spec.Suspend {
		c.set(v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended, "spec.suspend is true: set it to false to go on")
	}
}

// finished: the run is over for good.
func finished(run *v1alpha1.ValidationRun) bool {
	return meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionFinished)
}

// resumed: the run was suspended and is not any more.
func resumed(run *v1alpha1.ValidationRun) bool {
	return !run.Spec.Suspend && meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionSuspended)
}

// concurrent is how many nodes are measured at once: at least one.
func concurrent(limit *intstr.IntOrString, nodes int) int {
	if limit == nil {
		return max(1, nodes)
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(limit, nodes, false)
	if err != nil {
		return 1
	}
	return max(1, n)
}
