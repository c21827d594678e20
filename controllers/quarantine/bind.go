package quarantine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// patchNode writes what differs of a node, its taints and its mark, if it is still as it was read: the cache leaves out much of a node, which
// must not get lost. next is then as it was stored, and told of.
func (k *Keeper) patchNode(ctx context.Context, read, next *corev1.Node, tell func()) error {
	patch := client.MergeFromWithOptions(read, client.MergeFromWithOptimisticLock{})
	mark := taint.MarkOn(next)
	return k.telling(read, next, tell, func() error {
		if err := k.Patch(ctx, next, patch, controllers.FieldOwner); err != nil {
			return err
		}
		k.Recent.Wrote(next)
		if taint.MarkOn(next) != mark { // something strips it from whatever is written
			return fmt.Errorf(markLost, next.Name)
		}
		return nil
	})
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
	if err := n.patchNode(ctx, n.current.Node, next, n.tellTaint()); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	n.current.Node = next
	return true, nil
}

// errUnfenced: a taint that another leader has announced may still come.
var errUnfenced = errors.New(unfenced)

// fence writes a node, so that the taint of a quarantine which another leader has announced, and may be about to write, is refused: it is written under the
// resourceVersion that the leader has read before. What it leaves is a mark that names no taint, which is mended like any stray. It returns the node as it
// is then, with the taint if that was faster; nil: it is gone. Where it is refused, or stored without the mark, it is errUnfenced until anybody has written the node.
func (k *Keeper) fence(ctx context.Context, node *corev1.Node, mark string) (*corev1.Node, error) {
	var live *corev1.Node
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		live = &corev1.Node{}
		if err := k.Live.Get(ctx, client.ObjectKeyFromObject(node), live); err != nil {
			return err
		}
		next, changed := taint.Fenced(live, mark)
		if live.UID != node.UID || !changed || k.announcements.moved(mark, live) {
			return nil
		}
		patch := client.MergeFromWithOptions(live, client.MergeFromWithOptimisticLock{})
		err := k.Patch(ctx, next, patch, controllers.FieldOwner)
		if controllers.IsDenied(err) || err == nil && next.ResourceVersion == live.ResourceVersion {
			k.announcements.notFenced(mark, live, k.Clock.Now())
			return errors.Join(errUnfenced, err)
		}
		live = next
		return err
	})
	if err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	k.Recent.Wrote(live)
	return k.Devices.ShowLive(ctx, live)
}

// free takes back the taint of a mark, if the node carries it.
func (n *nodeWriter) free(ctx context.Context, mark, why string) error {
	node := n.current.Node
	return n.release(ctx, mark, func() { n.Webhook.TaintRemoved(node, mark, n.Run, why) })
}

// release removes a mark from the node, and the taint that it names, in one patch, and tells of it: a taint that rests on another quarantine by now has
// another mark, and stays.
func (n *nodeWriter) release(ctx context.Context, mark string, tell func()) error {
	if mark == "" {
		return nil
	}
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
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
		if err := n.patchNode(ctx, live, next, tell); err != nil {
			return err
		}
		n.current.Node = next
		return nil
	})
	if err != nil {
		return client.IgnoreNotFound(err)
	}
	shown, err := n.Devices.ShowLive(ctx, n.current.Node)
	if err == nil {
		n.current.Node = shown
	}
	return err
}

// disowned is the node without a mark that names a taint which no run puts on nodes: the gate of a policy, or a key that is not allowed. Whoever may
// annotate a node, as its kubelet may, must not have others' taints removed by that. The API lets no gate have the usual key.
func (k *Keeper) disowned(ctx context.Context, node *corev1.Node) (*corev1.Node, error) {
	t, known := taint.MarkedTaint(node)
	if !known || t.Key == v1alpha1.DefaultTaintKey {
		return node, nil
	}
	gates := []string{v1alpha1.DefaultGateKey}
	var policies v1alpha1.ValidationPolicyList
	if err := k.List(ctx, &policies, controllers.Shared); err != nil {
		return nil, fmt.Errorf("listing the gates: %w", err)
	}
	for i := range policies.Items {
		if g := policies.Items[i].Spec.Gate; g != nil {
			gates = append(gates, g.Taint.Key)
		}
	}
	if k.Policy.Refuses(t) == "" && !slices.Contains(gates, t.Key) {
		return node, nil
	}
	node = node.DeepCopy()
	delete(node.Annotations, v1alpha1.AnnotationQuarantine)
	return node, nil
}
