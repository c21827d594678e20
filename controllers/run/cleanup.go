package run

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/assess"
	"github.com/assay-dev/assay/internal/recentwrites"
	"github.com/assay-dev/assay/internal/workload"
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

// finalize lets a deleted run go once no pod of it is left. Its results go with it, by their owner reference; what is
// remembered of the nodes, and their taints, stay: they are proven.
func (r *Reconciler) finalize(ctx context.Context, run *v1alpha1.ValidationRun) (reconcile.Result, error) {
	r.forget(run.UID)
	if !controllerutil.ContainsFinalizer(run, v1alpha1.FinalizerCleanup) {
		return reconcile.Result{}, nil
	}
	left, err := r.deleteAllPods(ctx, run)
	if err != nil {
		return reconcile.Result{}, err
	}
	if left > 0 {
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

// forget what only an active run needs.
func (r *Reconciler) forget(run types.UID) {
	r.pins.forget(run)
	r.settled.forget(run)
	r.kinds.forget(run)
	r.cuts.forget(run)
	r.anew.forget(run)
	r.short.keep(run, nil)
	r.known.forget(run)
	r.memories.forget(run)
	r.recent.Forget(run)
}

// cleanUp looks after a run that is over: pods that hung are removed as soon as they go.
func (r *Reconciler) cleanUp(ctx context.Context, run *v1alpha1.ValidationRun) (reconcile.Result, error) {
	r.forget(run.UID)
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

// deleteAllPods deletes the run's pods, MPIJobs and NetworkPolicies and says how many pods and MPIJobs are still there. A pod on a
// node that is gone or not Ready is removed by force: no kubelet will confirm its end.
func (r *Reconciler) deleteAllPods(ctx context.Context, run *v1alpha1.ValidationRun) (int, error) {
	jobs, _, err := r.listJobs(ctx, run)
	if err != nil {
		return 0, err
	}
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(r.Settings.Namespace), controllers.Shared); err != nil {
		return 0, fmt.Errorf("listing the pods of run %s: %w", run.Name, err)
	}
	ours := func(p *corev1.Pod) bool { return metav1.IsControlledBy(p, run) || assess.OwnJobPod(run, jobs, p) }
	seen := map[string]bool{}
	var list []*corev1.Pod
	for i := range pods.Items {
		p := &pods.Items[i]
		seen[p.Name] = true
		if ours(p) {
			list = append(list, p)
		}
	}
	list = append(list, recentwrites.Unseen(r.recent, ours, func(p *corev1.Pod) bool { return seen[p.Name] })...)
	deleted := r.deleteJobs(ctx, run, jobs)
	return len(list) + len(jobs), errors.Join(deleted, controllers.Each(list, func(p *corev1.Pod) error { return r.deleteLeftover(ctx, p) }))
}

func (r *Reconciler) deleteLeftover(ctx context.Context, pod *corev1.Pod) error {
	options := []client.DeleteOption{client.Preconditions{UID: &pod.UID}}
	force, err := r.nodeGone(ctx, pod)
	if err != nil {
		return err
	}
	if force {
		options = append(options, client.GracePeriodSeconds(0))
	} else if pod.DeletionTimestamp != nil {
		return nil
	}
	err = r.Delete(ctx, pod.DeepCopy(), options...)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting pod %s: %w", pod.Name, err)
	}
	r.recent.Removed(pod.UID)
	return nil
}

func (r *Reconciler) nodeGone(ctx context.Context, pod *corev1.Pod) (bool, error) {
	node := &corev1.Node{}
	name, uid := assess.PodNode(pod), pod.Annotations[v1alpha1.AnnotationNodeUID]
	if _, known := workload.OwnerOf(pod); known {
		name, uid = pod.Spec.NodeName, ""
	}
	if name == "" {
		return false, nil
	}
	err := r.Get(ctx, client.ObjectKey{Name: name}, node)
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("getting the node of pod %s: %w", pod.Name, err)
	}
	return assess.NodeGone(node, uid, r.Clock.Now()), nil
}
