package owned

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
)

// Pods reads the pods of the benchmark namespace, with those that this process has made and the cache has still to see.
func (o *Objects) Pods(ctx context.Context) ([]*corev1.Pod, error) {
	var list corev1.PodList
	if err := o.List(ctx, &list, client.InNamespace(o.Settings.Namespace), controllers.Shared); err != nil {
		return nil, fmt.Errorf("listing benchmark pods: %w", err)
	}
	seen := map[string]bool{}
	pods := make([]*corev1.Pod, 0, len(list.Items))
	for i := range list.Items {
		// Fresh also forgets a pod once the cache has it: a pod that somebody deletes later is gone, not on its way.
		pod := recentwrites.Fresh(o.Recent, &list.Items[i])
		seen[pod.Name] = true
		pods = append(pods, pod)
	}
	return append(pods, recentwrites.Unseen(o.Recent, func(p *corev1.Pod) bool { return seen[p.Name] })...), nil
}

// WithLive are pods as they were read, with those of a run as they are at this moment. What is done at the end of a run is done once, and the cache may stand still.
func (o *Objects) WithLive(ctx context.Context, run *v1alpha1.ValidationRun, read []*corev1.Pod) ([]*corev1.Pod, error) {
	var live corev1.PodList
	if err := o.Live.List(ctx, &live, client.InNamespace(o.Settings.Namespace), OfRun(run.UID)); err != nil {
		return nil, fmt.Errorf("listing the pods of run %s: %w", run.Name, err)
	}
	pods, known := make([]*corev1.Pod, 0, len(read)), map[types.UID]bool{}
	for i := range live.Items {
		pod := &live.Items[i]
		pod.ManagedFields, pod.Spec, known[pod.UID] = nil, controllers.SlimSpec(pod.Spec), true
		pods = append(pods, pod)
	}
	return append(pods, list.Where(read, func(p *corev1.Pod) bool { return !known[p.UID] })...), nil
}

// HasStarted: there is a pod of this name that is the run's.
func (o *Objects) HasStarted(ctx context.Context, run *v1alpha1.ValidationRun, name string) (bool, error) {
	var pods corev1.PodList
	if err := o.Live.List(ctx, &pods, client.InNamespace(o.Settings.Namespace), named(name)); err != nil {
		return false, fmt.Errorf("looking for pod %s: %w", name, err)
	}
	return slices.ContainsFunc(pods.Items, func(p corev1.Pod) bool { return metav1.IsControlledBy(&p, run) }), nil
}

// Busy looks, live, for pods of others that hold the node's devices, just before a launch.
func (o *Objects) Busy(ctx context.Context, b *v1alpha1.Benchmark, node string) (string, error) {
	device := b.Spec.Needs.DeviceResource
	if device == "" {
		return "", nil
	}
	return controllers.Holder(ctx, o.Live, o.Settings.Namespace, node, corev1.ResourceName(device))
}

// DeleteLeftover deletes a pod of no more use. It is never removed by force: its program may run on where nobody sees it.
func (o *Objects) DeleteLeftover(ctx context.Context, pod *corev1.Pod) error {
	if pod.DeletionTimestamp != nil {
		return nil
	}
	return o.RemovePod(ctx, pod, client.Preconditions{UID: &pod.UID})
}

// RemovePod by its name, under preconditions.
func (o *Objects) RemovePod(ctx context.Context, pod *corev1.Pod, as client.Preconditions, options ...client.DeleteOption) error {
	if err := o.Delete(ctx, pod.DeepCopy(), append(options, as)...); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting pod %s: %w", pod.Name, err)
	}
	o.Recent.Removed(pod.UID)
	return nil
}

// cutOff: the pod is deleted, and will go as soon as somebody hears of it, or its node is gone for Kubernetes, too. That it is, a second look has to show: the cache
// may not have seen that the node has joined, or is back.
func (o *Objects) cutOff(ctx context.Context, pod *corev1.Pod) bool {
	if pod.DeletionTimestamp == nil || pod.Spec.NodeName == "" {
		return false
	}
	for _, from := range []client.Reader{o.Client, o.Live} {
		node := &corev1.Node{}
		err := from.Get(ctx, client.ObjectKey{Name: pod.Spec.NodeName}, node)
		if !apierrors.IsNotFound(err) && (err != nil || !observe.OutOfReach(node, o.Clock.Now())) {
			return false
		}
	}
	return true
}
