package run

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess"
)

// deletePod removes a pod only once its attempt is stored, or the run is stopped.
func (w *writer) deletePod(ctx context.Context, d assess.PodDeletion) error {
	switch {
	case w.isUnstored(d.After):
		return nil
	case d.Force:
		return w.removePod(ctx, d.Pod, client.GracePeriodSeconds(0))
	case w.recent.IsRemoved(d.Pod.UID):
		return nil
	}
	return w.removePod(ctx, d.Pod)
}

// launchPod creates the pod of an attempt. Its name is the attempt's, so that a second try finds the first.
func (w *writer) launchPod(ctx context.Context, l assess.PodLaunch) error {
	node := l.Node.Name
	busy, err := w.busy(ctx, l.Task.Benchmark, node)
	if err != nil {
		return err
	}
	w.recent.MarkBusy(node, busy, w.in.Now)
	if busy != "" {
		w.note(node, func(n *assess.NodeWritten) { n.Busy = busy })
		w.recheckSoon()
		return nil
	}
	if seen, err := w.asSeen(ctx, l.Result, l.Stored); err != nil || !seen {
		return err
	}
	launch := workload.Launch{Run: w.run, Benchmark: l.Task.Benchmark, Argv: l.Task.Argv, Node: l.Node, Attempt: l.Attempt,
		Quarantine: l.Quarantine, Machine: l.Machine}
	if err := w.offerClaims(ctx, launch.Claim()); err != nil {
		return err
	}
	pod := workload.Pod(launch, w.Settings)
	err = w.Create(ctx, pod, controllers.FieldOwner)
	if apierrors.IsAlreadyExists(err) {
		return w.checkOwner(ctx, pod)
	}
	if err != nil {
		return fmt.Errorf("creating the pod of benchmark %s on node %s: %w", l.Task.Name(), node, err)
	}
	// Only what the cache will hold of it: no pass may see more of a pod that was just made than of one that was read.
	pod.ManagedFields, pod.Spec = nil, controllers.SlimSpec(pod.Spec)
	w.recent.Wrote(pod)
	return nil
}

// checkOwner makes sure that a pod which was there already is this run's own.
func (w *writer) checkOwner(ctx context.Context, pod *corev1.Pod) error {
	found := &corev1.Pod{}
	if err := w.Get(ctx, client.ObjectKeyFromObject(pod), found); err != nil {
		return client.IgnoreNotFound(err)
	}
	if !metav1.IsControlledBy(found, w.run) {
		return fmt.Errorf(nameTaken, "pod", pod.Name, pod.Namespace)
	}
	return nil
}

// busy looks, live, for pods of others that hold the node's devices, just before a launch.
func (r *Reconciler) busy(ctx context.Context, b *v1alpha1.Benchmark, node string) (string, error) {
	device := b.Spec.Needs.DeviceResource
	if device == "" {
		return "", nil
	}
	return controllers.Holder(ctx, r.Live, r.Settings.Namespace, node, corev1.ResourceName(device))
}

// templateSeen is for how long a template is not looked for again: a run that launches a thousand pods makes it once.
const templateSeen = time.Minute

// offerClaims makes the template that a pod about to be launched claims its devices by; nil: it claims none.
func (w *writer) offerClaims(ctx context.Context, c *workload.Claim) error {
	if c == nil {
		return nil
	}
	if at, seen := w.memory.templates.Get(c.Name()); seen && !w.in.Now.Before(at) && w.in.Now.Sub(at) < templateSeen {
		return nil
	}
	template := c.Template(w.Settings)
	err := w.Create(ctx, template, controllers.FieldOwner)
	if apierrors.IsAlreadyExists(err) {
		err = w.checkTemplate(ctx, c)
	}
	if err != nil {
		return fmt.Errorf("creating ResourceClaimTemplate %s: %w", c.Name(), err)
	}
	w.memory.templates.Set(c.Name(), w.in.Now)
	return nil
}

// checkTemplate makes sure that a template which was there already is this run's own, and as it was made.
func (w *writer) checkTemplate(ctx context.Context, c *workload.Claim) error {
	found, err := w.listTemplates(ctx, w.run, client.MatchingFieldsSelector{Selector: fields.OneTermEqualSelector(metav1.ObjectNameField, c.Name())})
	if err != nil {
		return err
	}
	if len(found) == 0 || !c.Is(&found[0], w.Settings) {
		return fmt.Errorf(nameTaken, "ResourceClaimTemplate", c.Name(), w.Settings.Namespace)
	}
	return nil
}

// listTemplates returns the templates of a run, read past the cache, as nothing else of them is ever needed.
func (r *Reconciler) listTemplates(ctx context.Context, run *v1alpha1.ValidationRun, options ...client.ListOption) ([]resourcev1.ResourceClaimTemplate, error) {
	var list resourcev1.ResourceClaimTemplateList
	options = append(options, client.InNamespace(r.Settings.Namespace), ofRun(run.UID))
	if err := r.Live.List(ctx, &list, options...); err != nil {
		return nil, fmt.Errorf("listing the ResourceClaimTemplates of run %s: %w", run.Name, err)
	}
	return slices.DeleteFunc(list.Items, func(t resourcev1.ResourceClaimTemplate) bool { return !metav1.IsControlledBy(&t, run) }), nil
}

// deleteTemplates that a run has left. Claims go with their pods.
func (r *Reconciler) deleteTemplates(ctx context.Context, run *v1alpha1.ValidationRun) error {
	if r.Devices == nil {
		return nil
	}
	if m, active := r.memories.Get(run.Name); active { // they are made again for the next pod
		m.templates.Keep(func(string) bool { return false })
	}
	templates, err := r.listTemplates(ctx, run)
	if err != nil {
		return err
	}
	return controllers.Each(templates, func(t resourcev1.ResourceClaimTemplate) error {
		if err := r.Delete(ctx, &t, client.Preconditions{UID: &t.UID}); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("deleting ResourceClaimTemplate %s: %w", t.Name, err)
		}
		return nil
	})
}
