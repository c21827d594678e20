package policy

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/policy"
)

// openGates of the nodes that may be let in. The first one shows whether the API server allows it at all.
func (w *pass) openGates(ctx context.Context) error {
	const reason = v1alpha1.ReasonGateNotAllowed
	if len(w.plan.Open) == 0 {
		w.memory.allowed(reason)
		return nil
	}
	if w.memory.isRefused(reason, w.now) {
		w.soon(refusedFor)
		return nil
	}
	first := w.open(ctx, w.plan.Open[0])
	if apierrors.IsForbidden(first) {
		return w.refusable(reason, first)
	}
	rest := controllers.Each(w.plan.Open[1:], func(o policy.Opening) error { return w.open(ctx, o) })
	return w.refusable(reason, errors.Join(first, rest))
}

// open one gate, if the node and what is known of it, as they are at this moment, still say so.
func (w *pass) open(ctx context.Context, o policy.Opening) error {
	opened, err := w.change(ctx, o.Node, o.UID, o.Record, func(node *corev1.Node, validation *v1alpha1.NodeValidation) bool {
		if !policy.MayOpen(&o, w.policy, node, validation, w.snapshot.Benchmarks, w.now) {
			return false
		}
		before := len(node.Spec.Taints)
		node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == o.Taint.Key && t.Effect == o.Taint.Effect })
		return len(node.Spec.Taints) < before
	})
	if err != nil {
		return fmt.Errorf("opening the gate of node %s: %w", o.Node, err)
	}
	if opened == nil {
		w.soon(refusedFor) // something is not as it was read: the cache will tell
		return nil
	}
	w.tell(opened, corev1.EventTypeNormal, v1alpha1.ReasonGateOpened, o.Message)
	w.Metrics.GateOpened(o.Waited)
	return nil
}

// record on a node that somebody else opened its gate, unless another record was written since it was read.
func (w *pass) record(ctx context.Context, b policy.ByHand) error {
	i := slices.IndexFunc(w.snapshot.Nodes, func(n policy.Node) bool { return n.Object.UID == b.UID })
	if i < 0 {
		return nil
	}
	read := w.snapshot.Nodes[i].Object.Annotations[v1alpha1.AnnotationGate]
	_, err := w.change(ctx, b.Node, b.UID, b.Record, func(node *corev1.Node, _ *v1alpha1.NodeValidation) bool {
		return node.Annotations[v1alpha1.AnnotationGate] == read
	})
	if err != nil {
		return fmt.Errorf("recording who opened the gate of node %s: %w", b.Node, err)
	}
	return nil
}

// change a node as it is at this moment, under its resourceVersion, together with the record of its gate; nil where nothing is to be changed.
func (w *pass) change(ctx context.Context, name string, uid types.UID, record policy.GateRecord, edit func(*corev1.Node, *v1alpha1.NodeValidation) bool) (changed *corev1.Node, err error) {
	err = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		changed = nil
		node, validation, err := w.live(ctx, name, uid)
		if err != nil || node == nil || !edit(node, validation) {
			return err
		}
		if node.Annotations == nil {
			node.Annotations = map[string]string{}
		}
		node.Annotations[v1alpha1.AnnotationGate] = record.String()
		if err := w.Update(ctx, node, client.FieldOwner(fieldOwner)); err != nil {
			return err
		}
		w.recent.Wrote(node)
		changed = node
		return nil
	})
	return changed, client.IgnoreNotFound(err)
}

// live reads a node and what is known of it past the cache; nil where it is gone, or another one of its name is there.
func (w *pass) live(ctx context.Context, name string, uid types.UID) (*corev1.Node, *v1alpha1.NodeValidation, error) {
	node, key := &corev1.Node{}, client.ObjectKey{Name: name}
	if err := w.Live.Get(ctx, key, node); err != nil {
		return nil, nil, client.IgnoreNotFound(err)
	}
	if node.UID != uid {
		return nil, nil, nil
	}
	validation := &v1alpha1.NodeValidation{}
	err := w.Live.Get(ctx, key, validation)
	if apierrors.IsNotFound(err) {
		return node, nil, nil
	}
	return node, validation, err
}
