package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/quantity"
)

// cannotStart tells a run what keeps it from its start, and is tried again. What may pass by itself is told of only at the deadline: then
// the run is over, whatever it was. One that was just resumed is told at once: the deadline counts from that, and only its status keeps since when.
func (r *Reconciler) cannotStart(ctx context.Context, run *v1alpha1.ValidationRun, cause error) (reconcile.Result, error) {
	now := r.Clock.Now()
	late := !run.Spec.Suspend && !now.Before(assess.InvalidDeadline(run, now))
	if !late && !observe.Resumed(run) && !apierrors.IsForbidden(cause) && !apierrors.IsInvalid(cause) && !apierrors.IsRequestEntityTooLargeError(cause) {
		return reconcile.Result{}, cause
	}
	again, err := r.invalid(ctx, run, observe.Invalid(fmt.Sprintf(notStarted, cause)))
	if late && err == nil {
		return again, nil
	}
	return again, errors.Join(cause, err)
}

// invalid tells a run that cannot start what is wrong with it. It starts by itself once that is put right; at its deadline,
// counted from its creation, it is over.
func (r *Reconciler) invalid(ctx context.Context, run *v1alpha1.ValidationRun, cause error) (reconcile.Result, error) {
	if !errors.Is(cause, observe.ErrInvalid) {
		return r.unreadable(ctx, run, cause)
	}
	return r.stall(ctx, run, v1alpha1.ReasonInvalid, cause)
}

// stall tells a run why it does not go on. Past its deadline its pods are deleted, and it is over: at once where only a person could
// have helped, after its grace where it may be read again until then, and judged.
func (r *Reconciler) stall(ctx context.Context, run *v1alpha1.ValidationRun, reason string, cause error) (reconcile.Result, error) {
	now := r.Clock.Now()
	deadline := assess.InvalidDeadline(run, now)
	over, pastGrace := !now.Before(deadline) && !run.Spec.Suspend, !now.Before(deadline.Add(observe.CleanupGrace))
	left, err := 0, error(nil)
	switch {
	case over:
		left, err = r.own.DeleteAll(ctx, run)
	case run.Spec.Suspend:
		left, err = r.own.DeletePods(ctx, run)
	}
	if err != nil {
		if over && !pastGrace {
			return reconcile.Result{}, err
		}
		cause = fmt.Errorf(podsNotDeleted, cause, err)
		left = max(left, 1) // looked at again
	}
	again := reconcile.Result{RequeueAfter: lookAtStalled(run, deadline.Sub(now), left)}
	if over && !pastGrace && (left > 0 || reason == v1alpha1.ReasonUnreadable) {
		return again, nil
	}
	next := assess.StalledStatus(run, reason, cause, over, now)
	if equality.Semantic.DeepEqual(run.Status, next) {
		return again, nil
	}
	if err := r.patchStatus(ctx, run, next); err != nil {
		return reconcile.Result{}, err
	}
	if over {
		r.announceEnd(run, &next)
	} else {
		r.Recorder.Eventf(run, nil, corev1.EventTypeWarning, reason, "Validate", "%s", quantity.Clip(cause.Error(), 1000))
	}
	return again, nil
}

// lookAtStalled is when a run that does not go on is looked at again, with so many pods left of it.
func lookAtStalled(run *v1alpha1.ValidationRun, toDeadline time.Duration, left int) time.Duration {
	switch {
	case left > 0:
		return assess.CleanupRecheck
	case run.Spec.Suspend:
		return 0
	}
	return max(toDeadline, 0)
}

const (
	// unreadGrace is how long a run that cannot be read is only tried again: what an API server has, it mostly has for a moment.
	unreadGrace = 30 * time.Second
	// unreadRecheck is how often it is tried after that.
	unreadRecheck = 15 * time.Second
)

// waitForCache looks again soon, as the cache is mostly behind by a moment. Where that lasts, nothing can be told of the run by what is read.
func (r *Reconciler) waitForCache(ctx context.Context, run *v1alpha1.ValidationRun, behind error) (reconcile.Result, error) {
	if now := r.Clock.Now(); now.Before(r.memoryOf(run).unreadSince(now).Add(unreadGrace)) {
		return reconcile.Result{RequeueAfter: seenAgain}, nil
	}
	return r.unreadable(ctx, run, behind)
}

// unreadable tells a run what of it cannot be read, once that lasts. It goes on as soon as it can be read; if it never can, its pods are
// deleted at its deadline, and it is over after the grace: whoever waits for it must not wait for ever.
func (r *Reconciler) unreadable(ctx context.Context, run *v1alpha1.ValidationRun, cause error) (reconcile.Result, error) {
	now := r.Clock.Now()
	if now.Before(r.memoryOf(run).unreadSince(now).Add(unreadGrace)) {
		return reconcile.Result{}, cause
	}
	ctrl.LoggerFrom(ctx).Error(cause, fmt.Sprintf(looksAgain, unreadRecheck))
	again, err := r.stall(ctx, run, v1alpha1.ReasonUnreadable, observe.Invalid(fmt.Sprintf(cannotRead, cause)))
	if again.RequeueAfter == 0 || again.RequeueAfter > unreadRecheck {
		again.RequeueAfter = unreadRecheck
	}
	return again, err
}
