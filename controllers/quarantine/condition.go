package quarantine

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// show a word of this run, also where others write to the node all the time, as its kubelet does, but not over what another leader made of it. Where that
// turns the record around later, the node says what is old until it is mended.
func (n *nodeWriter) show(ctx context.Context, w taint.Word) error {
	next, label, changed := taint.Shown(n.current.Node, w, n.Now)
	uid := n.current.Node.UID
	what := fmt.Sprint(n.Run.UID, next.Status, next.Reason, next.Message, label)
	if !changed || n.Recent.JustApplied(uid, what) {
		return nil
	}
	node := n.current.Node
	for try := 1; ; try++ {
		err := n.speak(ctx, node, next, label)
		if apierrors.IsConflict(err) && try < conflictTries {
			live, record, readErr := controllers.LiveNode(ctx, n.Live, n.name())
			if readErr == nil && live != nil && stands(n.current, live, record) {
				node = live
				continue
			}
			err = errors.Join(err, readErr)
		}
		if err == nil {
			n.Recent.MarkApplied(uid, what)
		}
		return err
	}
}

// owe a node what its record says of it, by what is there at this moment.
func (k *Keeper) owe(ctx context.Context, name string) error {
	node, record, err := controllers.LiveNode(ctx, k.Live, name)
	if err != nil || node == nil {
		return err
	}
	w, ok := taint.Owed(taint.Current{Node: node, Validation: record})
	if !ok {
		return nil
	}
	next, label, _ := taint.Shown(node, w, k.Clock.Now())
	return k.speak(ctx, node, next, label)
}

// speak sets a node's condition and verdict label in one server-side apply: the status endpoint of a Node takes its labels along. It is written under the
// version of the node that was read. That the node is gone is no error.
func (k *Keeper) speak(ctx context.Context, node *corev1.Node, next corev1.NodeCondition, label string) error {
	apply := corev1ac.Node(node.Name).WithUID(node.UID).WithResourceVersion(node.ResourceVersion).
		WithStatus(corev1ac.NodeStatus().WithConditions(corev1ac.NodeCondition().
			WithType(next.Type).WithStatus(next.Status).WithReason(next.Reason).WithMessage(next.Message).
			WithLastTransitionTime(next.LastTransitionTime).WithLastHeartbeatTime(next.LastHeartbeatTime)))
	if label != "" { // without it, the one that was applied before goes
		apply.WithLabels(map[string]string{v1alpha1.LabelVerdict: label})
	}
	err := k.Status().Apply(ctx, apply, controllers.FieldOwner, client.ForceOwnership)
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("applying the node's condition: %w", err)
	}
	return nil
}

// stands says whether a node still has the mark, and the record, that a word rests on.
func stands(c taint.Current, live *corev1.Node, record *v1alpha1.NodeValidation) bool {
	known := c.Validation
	if live.UID != c.Node.UID || taint.MarkOn(live) != taint.MarkOn(c.Node) || (record == nil) != (known == nil) {
		return false
	}
	return record == nil || record.ResourceVersion == known.ResourceVersion
}
