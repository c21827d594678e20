package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
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
	r.forget(run.Name)
	if !controllerutil.ContainsFinalizer(run, v1alpha1.FinalizerCleanup) {
		return reconcile.Result{}, nil
	}
	left, err := r.deleteAllPods(ctx, run)
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
	r.forget(run.Name)
	left, err := r.deleteAllPods(ctx, run)
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

// deleteAllPods deletes the run's pods, MPIJobs, NetworkPolicies and templates of claims, and says how many pods and MPIJobs are still to go. Where MPIJobs
// cannot be listed, those go whose pods tell of them. A pod that only waits for its node to be reached is nobody's to wait for.
func (r *Reconciler) deleteAllPods(ctx context.Context, run *v1alpha1.ValidationRun) (left int, err error) {
	jobs, _, unlisted := r.listJobs(ctx, run)
	all, err := r.readPods(ctx)
	if err != nil {
		return 1, err // nobody knows that none is left
	}
	pods := list.Where(all, func(p *corev1.Pod) bool { return metav1.IsControlledBy(p, run) || observe.OwnJobPod(run, jobs, p) })
	if unlisted != nil {
		jobs = jobsOf(pods)
	}
	deleted := r.deleteJobs(ctx, jobs)
	closed := errors.Join(r.deletePolicies(ctx, run), r.deleteTemplates(ctx, run))
	if unlisted == nil && deleted == nil {
		left = len(jobs)
	}
	for _, p := range pods {
		if !r.cutOff(ctx, p) {
			left++
		}
	}
	gone := controllers.Each(pods, func(p *corev1.Pod) error { return r.deleteLeftover(ctx, p) })
	return left, errors.Join(unlisted, deleted, closed, gone)
}

// jobsOf are the MPIJobs that own pods of a run.
func jobsOf(pods []*corev1.Pod) (jobs []metav1.PartialObjectMetadata) {
	known := map[types.UID]bool{}
	for _, p := range pods {
		if owner, ok := workload.OwnerOf(p); ok && owner.UID != "" && !known[owner.UID] {
			known[owner.UID] = true
			jobs = append(jobs, metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: owner.Name, UID: owner.UID}})
		}
	}
	return jobs
}

// deleteLeftover deletes a pod of no more use. It is never removed by force: its program may run on where nobody sees it.
func (r *Reconciler) deleteLeftover(ctx context.Context, pod *corev1.Pod) error {
	if pod.DeletionTimestamp != nil {
		return nil
	}
	return r.removePod(ctx, pod)
}

// removePod by name and UID.
func (r *Reconciler) removePod(ctx context.Context, pod *corev1.Pod, options ...client.DeleteOption) error {
	options = append(options, client.Preconditions{UID: &pod.UID})
	if err := r.Delete(ctx, pod.DeepCopy(), options...); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting pod %s: %w", pod.Name, err)
	}
	r.recent.Removed(pod.UID)
	return nil
}

// cutOff: the pod is deleted, and will go as soon as somebody hears of it, or its node is gone for Kubernetes, too.
func (r *Reconciler) cutOff(ctx context.Context, pod *corev1.Pod) bool {
	if pod.DeletionTimestamp == nil || pod.Spec.NodeName == "" {
		return false
	}
	node := &corev1.Node{}
	err := r.Get(ctx, client.ObjectKey{Name: pod.Spec.NodeName}, node)
	return apierrors.IsNotFound(err) || err == nil && observe.OutOfReach(node, r.Clock.Now())
}
