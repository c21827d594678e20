package policy

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/policy"
)

// record on a node that somebody else opened its gate, unless another record was written since it was read.
func (w *pass) record(ctx context.Context, b policy.ByHand) error {
	_, err := w.change(ctx, b.Node.Name, b.Node.UID, b.Record, func(node *corev1.Node, _ *v1alpha1.NodeValidation) bool {
		return node.Annotations[v1alpha1.AnnotationGate] == b.Node.Annotations[v1alpha1.AnnotationGate]
	})
	if err != nil {
		return fmt.Errorf("recording who opened the gate of node %s: %w", b.Node.Name, err)
	}
	return nil
}

// change what edit changes of a node as it is at this moment, under its resourceVersion, together with the record of its gate; nil where nothing is to be changed.
func (w *pass) change(ctx context.Context, name string, uid types.UID, record v1alpha1.GateRecord, edit func(*corev1.Node, *v1alpha1.NodeValidation) bool) (changed *corev1.Node, err error) {
	err = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		changed = nil
		node, validation, err := controllers.LiveNode(ctx, w.Live, name)
		if err != nil || node == nil || node.UID != uid {
			return err
		}
		read := node.DeepCopy()
		if !edit(node, validation) {
			return nil
		}
		if node.Annotations == nil {
			node.Annotations = map[string]string{}
		}
		node.Annotations[v1alpha1.AnnotationGate] = record.String()
		patch := client.MergeFromWithOptions(read, client.MergeFromWithOptimisticLock{})
		if err := w.Patch(ctx, node, patch, client.FieldOwner(fieldOwner)); err != nil {
			return err
		}
		w.recent.Wrote(node)
		changed = node
		return nil
	})
	return changed, client.IgnoreNotFound(err)
}

// labelNodes says of nodes whether they are overdue.
func (w *pass) labelNodes(ctx context.Context) error {
	if len(w.plan.Overdue) == 0 {
		return nil
	}
	changed := list.Those(w.snapshot.Nodes, func(n *policy.Node) bool {
		_, changes := w.plan.Overdue[n.Object.Name]
		return changes
	})
	return controllers.Each(changed, func(n *policy.Node) error {
		if w.plan.Overdue[n.Object.Name] {
			return w.label(ctx, n.Object, w.policy.Name)
		}
		return w.label(ctx, n.Object, "")
	})
}

// label a node with the policy that calls it overdue; an empty one takes the label away, whoever wrote it. The status endpoint of a Node takes
// labels along.
func (r *Reconciler) label(ctx context.Context, n *corev1.Node, name string) error {
	what := "overdue: " + name
	if r.recent.JustApplied(n.UID, what) {
		return nil
	}
	var err error
	if name != "" {
		apply := corev1ac.Node(n.Name).WithUID(n.UID).WithLabels(map[string]string{v1alpha1.LabelOverdue: name})
		err = r.Status().Apply(ctx, apply, client.FieldOwner(fieldOwner), client.ForceOwnership)
	} else {
		patch := fmt.Appendf(nil, `{"metadata":{"uid":%q,"labels":{%q:null}}}`, n.UID, v1alpha1.LabelOverdue)
		err = r.Status().Patch(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name}}, client.RawPatch(types.MergePatchType, patch), client.FieldOwner(fieldOwner))
	}
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) { // it is gone, or another one of its name has come
		return nil
	}
	if err != nil {
		return fmt.Errorf("labelling node %s: %w", n.Name, err)
	}
	r.recent.MarkApplied(n.UID, what)
	return nil
}
