package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
	"github.com/assay-dev/assay/internal/quantity"
)

// addFinalizer makes sure that a run cannot go before its pods. It is written before the first pod exists.
func (r *Reconciler) addFinalizer(ctx context.Context, run *v1alpha1.ValidationRun) error {
	if controllerutil.ContainsFinalizer(run, v1alpha1.FinalizerCleanup) {
		return nil
	}
	before := run.DeepCopy()
	controllerutil.AddFinalizer(run, v1alpha1.FinalizerCleanup)
	if err := r.Patch(ctx, run, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("adding the finalizer of run %s: %w", run.Name, err)
	}
	r.recent.Wrote(run.DeepCopy())
	return nil
}

// finalize lets a deleted run go once no pod of it is left. Its results go with it, by their owner reference; what is remembered of the
// nodes, and their taints, stay: they are proven. An MPIJob or NetworkPolicy that cannot be seen or deleted, and has had no pod for so long,
// holds no node: it is the run's own, too, and goes with it.
func (r *Reconciler) finalize(ctx context.Context, run *v1alpha1.ValidationRun) (reconcile.Result, error) {
	r.leave(run)
	if !controllerutil.ContainsFinalizer(run, v1alpha1.FinalizerCleanup) {
		return reconcile.Result{}, nil
	}
	left, err := r.own.DeleteAll(ctx, run)
	switch deleted := r.Clock.Since(run.DeletionTimestamp.Time); {
	case err != nil && (left > 0 || deleted < observe.CleanupGrace):
		return r.stuck(ctx, run, deleted, err)
	case err != nil:
		r.Recorder.Eventf(run, nil, corev1.EventTypeWarning, v1alpha1.ReasonUnreadable, "Delete", "%s", quantity.Clip(fmt.Sprintf(letGo, err), 1000))
	case left > 0:
		return reconcile.Result{RequeueAfter: assess.CleanupRecheck}, nil
	}
	before := run.DeepCopy()
	controllerutil.RemoveFinalizer(run, v1alpha1.FinalizerCleanup)
	err = r.Patch(ctx, run, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	if err != nil && !apierrors.IsNotFound(err) {
		return reconcile.Result{}, fmt.Errorf("removing the finalizer of run %s: %w", run.Name, err)
	}
	return reconcile.Result{}, nil
}

// stuck tells a deleted run what keeps it, once that lasts.
func (r *Reconciler) stuck(ctx context.Context, run *v1alpha1.ValidationRun, deleted time.Duration, cause error) (reconcile.Result, error) {
	if deleted < unreadGrace {
		return reconcile.Result{}, cause
	}
	next := assess.StuckStatus(run, fmt.Sprintf(cannotCleanUp, cause), r.Clock.Now())
	if !equality.Semantic.DeepEqual(run.Status, next) {
		cause = errors.Join(cause, r.patchStatus(ctx, run, next))
	}
	ctrl.LoggerFrom(ctx).Error(cause, fmt.Sprintf(looksAgain, unreadRecheck))
	return reconcile.Result{RequeueAfter: unreadRecheck}, nil
}

// cleanUp looks after a run that is over: pods that hung are removed as soon as they go.
func (r *Reconciler) cleanUp(ctx context.Context, run *v1alpha1.ValidationRun) (reconcile.Result, error) {
	r.leave(run)
	left, err := r.own.DeleteAll(ctx, run)
	if err != nil {
		return reconcile.Result{}, err
	}
	if left > 0 {
		return reconcile.Result{RequeueAfter: assess.CleanupRecheck}, nil
	}
	return reconcile.Result{}, nil
}

// sweep looks through what is remembered until ctx ends, also where no run ends any more.
func (r *Reconciler) sweep(ctx context.Context) error {
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		r.recent.Sweep()
		r.pruneKnown(ctx)
	}, recentwrites.Limit)
	return nil
}
