package run

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/controllers/run/owned"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess"
)

// deletePod removes a pod only once its attempt is stored, or the run is stopped. One whose program may have ended since it was seen is looked at again.
func (w *writer) deletePod(ctx context.Context, d assess.PodDeletion) error {
	as := client.Preconditions{UID: &d.Pod.UID}
	switch {
	case w.isUnstored(d.After):
		return nil
	case d.Force:
		return w.own.RemovePod(ctx, d.Pod, as, client.GracePeriodSeconds(0))
	case w.recent.IsRemoved(d.Pod.UID):
		return nil
	case d.AsSeen:
		as.ResourceVersion = &d.Pod.ResourceVersion
	}
	return w.unlessConflict(w.own.RemovePod(ctx, d.Pod, as))
}

// launchPod creates the pod of an attempt, one run at a time on each node. Its name is the attempt's, so that a second try finds the first.
func (w *writer) launchPod(ctx context.Context, l assess.PodLaunch) error {
	node := l.Node.Name
	done, alone := w.recent.Launching(node, w.run.UID, w.turn)
	if !alone {
		w.recheckSoon()
		return nil
	}
	defer done()
	busy, err := w.own.Busy(ctx, l.Task.Benchmark, node)
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
	if err := w.own.OfferClaims(ctx, w.run, launch.Claim()); err != nil {
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
		return fmt.Errorf(owned.NameTaken, "pod", pod.Name, pod.Namespace)
	}
	return nil
}
