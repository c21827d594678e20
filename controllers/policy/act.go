package policy

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/policy"
)

// act carries out the plan, but for the status. A request is noted before anything is started for it. Errors do not stop what comes after.
func (w *pass) act(ctx context.Context) error {
	if err := w.noteRequest(ctx); err != nil {
		return err
	}
	opened := w.openGates(ctx) // nodes that have passed wait for nothing but this
	recorded := controllers.Each(w.plan.ByHand, func(b policy.ByHand) error { return w.record(ctx, b) })
	created := w.createRuns(ctx)
	labelled := w.labelNodes(ctx)
	deleted := controllers.Each(w.plan.Delete, func(run *v1alpha1.ValidationRun) error { return w.deleteRun(ctx, run) })
	for _, e := range w.plan.Events {
		w.tell(e.Node, e.Type, e.Reason, e.Notes)
	}
	w.memory.seen = w.plan.Seen
	return errors.Join(opened, recorded, created, labelled, deleted)
}

// tell by an event of a node, or, where it is nil, of the policy.
func (w *pass) tell(node *corev1.Node, kind, reason, note string) {
	if node == nil {
		w.Recorder.Eventf(w.policy, nil, kind, reason, "Enforce", "%s", note)
		return
	}
	w.Recorder.Eventf(node, w.policy, kind, reason, "Enforce", "%s", note)
}

// deleteRun removes a finished run of the policy, and what belongs to it.
func (w *pass) deleteRun(ctx context.Context, run *v1alpha1.ValidationRun) error {
	err := w.Delete(ctx, &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: run.Name}}, client.Preconditions{UID: &run.UID})
	if client.IgnoreNotFound(err) != nil && !apierrors.IsConflict(err) {
		return fmt.Errorf("deleting run %s: %w", run.Name, err)
	}
	w.recent.Removed(run.UID)
	return nil
}
