package run

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// show sets the node's condition and verdict label in one server-side apply: the status endpoint of a Node takes
// its labels along. It is written under the version of the node that was read: another leader may have judged it meanwhile.
func (n *nodeWriter) show(ctx context.Context, w taint.Word) error {
	next, label, changed := taint.Shown(n.current.Node, w, n.in.Now)
	if !changed && !n.turned {
		return nil
	}
	uid := n.current.Node.UID
	what := fmt.Sprint(n.run.UID, next.Status, next.Reason, next.Message, label)
	if !n.turned && n.recent.JustApplied(uid, what) {
		return nil
	}
	if taint.Contradicts(n.current.Node, next) {
		if err := n.checkStands(ctx); err != nil {
			return err
		}
	}
	apply := corev1ac.Node(n.name()).WithUID(uid).WithResourceVersion(n.current.Node.ResourceVersion).
		WithStatus(corev1ac.NodeStatus().WithConditions(corev1ac.NodeCondition().
			WithType(next.Type).WithStatus(next.Status).WithReason(next.Reason).WithMessage(next.Message).
			WithLastTransitionTime(next.LastTransitionTime).WithLastHeartbeatTime(next.LastHeartbeatTime)))
	if label != "" { // without it, the one that was applied before goes
		apply.WithLabels(map[string]string{v1alpha1.LabelVerdict: label})
	}
	if err := n.applyWord(ctx, apply); err != nil {
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("applying the node's condition: %w", err)
	}
	n.turned = false
	n.recent.MarkApplied(uid, what)
	return nil
}

// applyWord of this run, also where others write to the node all the time, as its kubelet does, but not over what another leader made of it.
func (n *nodeWriter) applyWord(ctx context.Context, apply *corev1ac.NodeApplyConfiguration) error {
	for try := 1; ; try++ {
		err := n.Status().Apply(ctx, apply, client.FieldOwner(fieldOwner), client.ForceOwnership)
		if !apierrors.IsConflict(err) || try == conflictTries {
			return err
		}
		live, record, readErr := n.readLive(ctx, n.name())
		if readErr != nil || live == nil || !n.stands(live, record) {
			return errors.Join(err, readErr)
		}
		apply.WithResourceVersion(live.ResourceVersion)
	}
}

// checkStands reads the record before this run says the opposite of what the node says: the node may have been read after another leader wrote to it, and the
// record before.
func (n *nodeWriter) checkStands(ctx context.Context) error {
	live, record, err := n.readLive(ctx, n.name())
	if err == nil && live != nil && !n.stands(live, record) {
		err = errors.New(wordOvertaken(n.name()))
	}
	return err
}

// stands says whether a node still has the mark, and the record, that this run's word rests on.
func (n *nodeWriter) stands(live *corev1.Node, record *v1alpha1.NodeValidation) bool {
	known := n.current.Validation
	if live.UID != n.current.Node.UID || taint.MarkOn(live) != taint.MarkOn(n.current.Node) || (record == nil) != (known == nil) {
		return false
	}
	return record == nil || record.ResourceVersion == known.ResourceVersion
}
