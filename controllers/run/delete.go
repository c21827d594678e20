package run

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// deleteAllPods deletes the run's pods and MPIJobs, and what these are started with: NetworkPolicies and templates of claims. It says how many pods and MPIJobs
// are still to go.
func (r *Reconciler) deleteAllPods(ctx context.Context, run *v1alpha1.ValidationRun) (left int, err error) {
	left, err = r.deletePods(ctx, run)
	if err == nil {
		err = r.deletePolicies(ctx, run)
	}
	return left, errors.Join(err, r.deleteTemplates(ctx, run))
}

// deletePods deletes the run's pods and MPIJobs, and says how many are still to go. A pod that only waits for its node to be reached is nobody's to wait for,
// nor is an MPIJob that somebody's finalizer keeps: it makes no more pods. What they were started with stays, as another leader may start them anew by it.
func (r *Reconciler) deletePods(ctx context.Context, run *v1alpha1.ValidationRun) (left int, err error) {
	jobs, _, unlisted := r.listJobs(ctx, run)
	all, err := r.readPods(ctx)
	if err == nil && !run.Finished() {
		all, err = r.withLive(ctx, run, all)
	}
	if err != nil {
		return 1, err // nobody knows that none is left
	}
	pods := list.Where(all, func(p *corev1.Pod) bool { return metav1.IsControlledBy(p, run) || observe.OwnJobPod(run, jobs, p) })
	if unlisted != nil {
		var policies networkingv1.NetworkPolicyList
		unlisted = errors.Join(unlisted, r.listOwn(ctx, run, &policies))
		jobs = jobsOf(pods, policies.Items)
	}
	jobs = list.Where(jobs, func(j metav1.PartialObjectMetadata) bool { return j.DeletionTimestamp == nil })
	deleted := r.deleteJobs(ctx, jobs)
	if unlisted == nil && deleted == nil {
		left = len(jobs)
	}
	for _, p := range pods {
		if !r.cutOff(ctx, p) {
			left++
		}
	}
	gone := controllers.Each(pods, func(p *corev1.Pod) error { return r.deleteLeftover(ctx, p) })
	return left, errors.Join(unlisted, deleted, gone)
}

// jobsOf are the MPIJobs of a run that own pods, where they cannot be listed: each has a NetworkPolicy of its name. The label of a pod says too little, as its
// kubelet may have written it.
func jobsOf(pods []*corev1.Pod, policies []networkingv1.NetworkPolicy) (jobs []metav1.PartialObjectMetadata) {
	own, known := map[string]bool{}, map[types.UID]bool{"": true} // launchers do not tell it
	for _, p := range policies {
		own[p.Name] = true
	}
	for _, p := range pods {
		owner, _ := workload.OwnerOf(p)
		if own[owner.Name] && !known[owner.UID] {
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
	return r.removePod(ctx, pod, client.Preconditions{UID: &pod.UID})
}

// removePod by its name, under preconditions.
func (r *Reconciler) removePod(ctx context.Context, pod *corev1.Pod, as client.Preconditions, options ...client.DeleteOption) error {
	if err := r.Delete(ctx, pod.DeepCopy(), append(options, as)...); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting pod %s: %w", pod.Name, err)
	}
	r.recent.Removed(pod.UID)
	return nil
}

// cutOff: the pod is deleted, and will go as soon as somebody hears of it, or its node is gone for Kubernetes, too. That it is, a second look has to show: the cache
// may not have seen that the node has joined, or is back.
func (r *Reconciler) cutOff(ctx context.Context, pod *corev1.Pod) bool {
	if pod.DeletionTimestamp == nil || pod.Spec.NodeName == "" {
		return false
	}
	for _, from := range []client.Reader{r.Client, r.Live} {
		node := &corev1.Node{}
		err := from.Get(ctx, client.ObjectKey{Name: pod.Spec.NodeName}, node)
		if !apierrors.IsNotFound(err) && (err != nil || !observe.OutOfReach(node, r.Clock.Now())) {
			return false
		}
	}
	return true
}
