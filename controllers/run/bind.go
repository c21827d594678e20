package run

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/internal/quantity"
)

// refresh reads the node, and then what is known of it, past the cache: what is lifted or counted must be what is there. It is false where
// the node is not the one that was measured any more.
func (n *nodeWriter) refresh(ctx context.Context) (bool, error) {
	node, record, err := n.readLive(ctx, n.name())
	if err != nil || node == nil || node.UID != n.current.Node.UID {
		return false, err
	}
	n.current = taint.Current{Node: node, Validation: record}
	return true, n.readKnown(ctx)
}

// readLive is controllers.LiveNode with what a DRA driver publishes of the node.
func (r *Reconciler) readLive(ctx context.Context, name string) (*corev1.Node, *v1alpha1.NodeValidation, error) {
	node, record, err := controllers.LiveNode(ctx, r.Live, name)
	if err != nil || node == nil {
		return nil, nil, err
	}
	if node, err = r.Devices.ShowLive(ctx, node); err != nil {
		return nil, nil, err
	}
	return node, record, nil
}

// patchNode writes what differs of a node, its taints and its mark, if it is still as it was read: the cache leaves out much of a node, which
// must not get lost. next is then as it was stored.
func (r *Reconciler) patchNode(ctx context.Context, read, next *corev1.Node) error {
	patch := client.MergeFromWithOptions(read, client.MergeFromWithOptimisticLock{})
	mark := taint.MarkOn(next)
	if err := r.Patch(ctx, next, patch, client.FieldOwner(fieldOwner)); err != nil {
		return err
	}
	r.recent.Wrote(next)
	if taint.MarkOn(next) != mark { // something strips it from whatever is written
		return fmt.Errorf(markLost, next.Name)
	}
	return nil
}

// bind writes the taint of the node's quarantine and the mark that names it, in one patch under the resourceVersion of the node as it was read before it was
// counted. Whoever has written the node since may have given it up: a conflict is an error, and the node is counted anew.
func (n *nodeWriter) bind(ctx context.Context) (wrote bool, err error) {
	node, err := n.disowned(ctx, n.current.Node)
	if err != nil {
		return false, err
	}
	next, changed := taint.Bind(node, n.current.Validation.Quarantine)
	if !changed {
		return false, nil
	}
	if err := n.patchNode(ctx, n.current.Node, next); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	n.current.Node = next
	return true, nil
}

// fence writes a node, so that the taint of a quarantine which another leader has announced, and may be about to write, is refused: it is written under the
// resourceVersion that the leader has read before. What it leaves is a mark that names no taint, which is mended like any stray. It returns the node as it
// is then, with the taint if that was faster; nil: it is gone. Where the API server refuses it for good, it refuses the taint as well.
func (r *Reconciler) fence(ctx context.Context, node *corev1.Node, mark string) (*corev1.Node, error) {
	var live *corev1.Node
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		live = &corev1.Node{}
		if err := r.Live.Get(ctx, client.ObjectKeyFromObject(node), live); err != nil {
			return err
		}
		next, changed := taint.Fenced(live, mark)
		if live.UID != node.UID || !changed {
			return nil
		}
		patch := client.MergeFromWithOptions(live, client.MergeFromWithOptimisticLock{})
		if err := r.Patch(ctx, next, patch, client.FieldOwner(fieldOwner)); err != nil && !controllers.IsDenied(err) {
			return err
		}
		live = next
		return nil
	})
	if err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	r.recent.Wrote(live)
	return r.Devices.ShowLive(ctx, live)
}

// free takes back the taint of a mark, if the node carries it.
func (n *nodeWriter) free(ctx context.Context, mark, why string) error {
	wrote, err := n.release(ctx, mark)
	if wrote {
		n.Webhook.TaintRemoved(n.current.Node, mark, n.run, why)
	}
	return err
}

// release removes a mark from the node, and the taint that it names, in one patch: a taint that rests on another quarantine by now has
// another mark, and stays. It is false where there was no such taint.
func (n *nodeWriter) release(ctx context.Context, mark string) (wrote bool, err error) {
	if mark == "" {
		return false, nil
	}
	err = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		live := &corev1.Node{}
		if err := n.Live.Get(ctx, client.ObjectKey{Name: n.name()}, live); err != nil {
			return err
		}
		if live.UID != n.current.Node.UID {
			return nil
		}
		n.current.Node = live
		next, changed := taint.Free(live, mark)
		if !changed {
			return nil
		}
		if err := n.patchNode(ctx, live, next); err != nil {
			return err
		}
		wrote, n.current.Node = taint.Marked(live), next
		return nil
	})
	if err != nil {
		return wrote, client.IgnoreNotFound(err)
	}
	shown, err := n.Devices.ShowLive(ctx, n.current.Node)
	if err == nil {
		n.current.Node = shown
	}
	return wrote, err
}

// removeTaint of a mark, once its record is gone.
func (n *nodeWriter) removeTaint(ctx context.Context, next taint.Next, mark string) error {
	changed, err := n.release(ctx, mark)
	switch {
	case err != nil:
		return fmt.Errorf("lifting the taint: %w", err)
	case taint.Marked(n.current.Node): // it has failed again since, and what this run says of it is old
		return fmt.Errorf(liftOvertaken, n.name())
	case changed:
		put := fmt.Sprintf("%s:%s", next.Taint.Key, next.Taint.Effect)
		if len(next.Devices) > 0 {
			put += " of " + taint.DeviceNames(next.Devices, n.judgement.Result)
		}
		why := fmt.Sprintf(untainted, n.run.Name, put, nodevalidation.Benchmarks(next.Refuted))
		n.Recorder.Eventf(n.current.Node, n.run, corev1.EventTypeNormal, v1alpha1.ReasonTaintRemoved, "Untaint", "%s", why)
		n.Metrics.TaintRemoved()
		n.Webhook.TaintRemoved(n.current.Node, mark, n.run, why)
	}
	return nil
}

// disowned is the node without a mark that names a taint which no run puts on nodes: the gate of a policy, or a key that is not allowed. Whoever may
// annotate a node, as its kubelet may, must not have others' taints removed by that. The API lets no gate have the usual key.
func (r *Reconciler) disowned(ctx context.Context, node *corev1.Node) (*corev1.Node, error) {
	t, known := taint.MarkedTaint(node)
	if !known || t.Key == v1alpha1.DefaultTaintKey {
		return node, nil
	}
	gates := []string{v1alpha1.DefaultGateKey}
	var policies v1alpha1.ValidationPolicyList
	if err := r.List(ctx, &policies, controllers.Shared); err != nil {
		return nil, fmt.Errorf("listing the gates: %w", err)
	}
	for i := range policies.Items {
		if g := policies.Items[i].Spec.Gate; g != nil {
			gates = append(gates, g.Taint.Key)
		}
	}
	if r.Policy.Refuses(t) == "" && !slices.Contains(gates, t.Key) {
		return node, nil
	}
	node = node.DeepCopy()
	delete(node.Annotations, v1alpha1.AnnotationQuarantine)
	return node, nil
}

// lift the taint of a node whose last conviction this run refutes. The record comes first: it is refused if anything has convicted the node
// meanwhile, and the taint that goes after it is none but that of the record.
func (n *nodeWriter) lift(ctx context.Context) error {
	n.taints.Lock()
	defer n.taints.Unlock()
	if same, err := n.refresh(ctx); err != nil || !same {
		return err
	}
	return n.liftNow(ctx)
}

// liftNow goes by what was just read.
func (n *nodeWriter) liftNow(ctx context.Context) error {
	if q := quarantineOf(n.current.Validation); q != nil && taint.StateOf(n.current.Node, taint.Of(q), q) == taint.Unmarked {
		if _, err := n.mend(ctx, n.name()); err != nil {
			return err
		}
		if same, err := n.refresh(ctx); err != nil || !same {
			return err
		}
	}
	next := n.judgement.Lifted(n.current)
	if next.Action != taint.Lift {
		return n.carryOut(ctx, next)
	}
	mark := n.mark()
	if err := n.store(ctx, next.Validation, next.History); err != nil {
		return err
	}
	next.Validation = n.current.Validation
	if next.Taint != nil {
		if err := n.removeTaint(ctx, next, mark); err != nil {
			return err
		}
	}
	return n.carryOut(ctx, next)
}

// tellTaint that has come, and that what it replaces is gone.
func (n *nodeWriter) tellTaint() {
	q, t := n.current.Validation.Quarantine, taint.Of(n.current.Validation.Quarantine)
	put := fmt.Sprintf("%s=%s:%s", t.Key, t.Value, t.Effect)
	said := fmt.Sprintf(taintPut, n.run.Name, put, quantity.Clip(n.judgement.Message, 900))
	if len(q.Devices) > 0 {
		said = fmt.Sprintf(devicesOut, n.run.Name, put, taint.OutOfService(q.Devices, n.judgement.Result), quantity.Clip(n.judgement.Message, 600))
	}
	if n.replaced != nil {
		said = quantity.Clip(fmt.Sprintf(inPlaceOfEarlier, said), 1000)
		n.Metrics.TaintRemoved()
		n.Webhook.TaintRemoved(n.current.Node, taint.MarkOf(n.replaced), n.run, said)
	}
	n.Recorder.Eventf(n.current.Node, n.run, corev1.EventTypeWarning, v1alpha1.ReasonTaintAdded, "Taint", "%s", said)
	n.Metrics.TaintAdded()
	n.Webhook.TaintAdded(n.current.Node, q, n.judgement.Result)
}
