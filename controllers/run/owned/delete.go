package owned

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// DeleteAll deletes the run's pods and MPIJobs, and what these are started with: NetworkPolicies and templates of claims. It says how many pods and MPIJobs
// are still to go.
func (o *Objects) DeleteAll(ctx context.Context, run *v1alpha1.ValidationRun) (left int, err error) {
	left, err = o.DeletePods(ctx, run)
	if err == nil {
		err = o.deletePolicies(ctx, run)
	}
	return left, errors.Join(err, o.deleteTemplates(ctx, run))
}

// DeletePods deletes the run's pods and MPIJobs, and says how many are still to go. A pod that only waits for its node to be reached is nobody's to wait for,
// nor is an MPIJob that somebody's finalizer keeps: it makes no more pods. What they were started with stays, as another leader may start them anew by it.
func (o *Objects) DeletePods(ctx context.Context, run *v1alpha1.ValidationRun) (left int, err error) {
	jobs, _, unlisted := o.Jobs(ctx, run)
	all, err := o.Pods(ctx)
	if err == nil && !run.Finished() {
		all, err = o.WithLive(ctx, run, all)
	}
	if err != nil {
		return 1, err // nobody knows that none is left
	}
	pods := list.Where(all, func(p *corev1.Pod) bool { return metav1.IsControlledBy(p, run) || observe.OwnJobPod(run, jobs, p) })
	if unlisted != nil {
		var policies networkingv1.NetworkPolicyList
		unlisted = errors.Join(unlisted, o.listOwn(ctx, run, &policies))
		jobs = jobsOf(pods, policies.Items)
	}
	jobs = list.Where(jobs, func(j metav1.PartialObjectMetadata) bool { return j.DeletionTimestamp == nil })
	deleted := o.deleteJobs(ctx, jobs)
	if unlisted == nil && deleted == nil {
		left = len(jobs)
	}
	for _, p := range pods {
		if !o.cutOff(ctx, p) {
			left++
		}
	}
	gone := controllers.Each(pods, func(p *corev1.Pod) error { return o.DeleteLeftover(ctx, p) })
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
