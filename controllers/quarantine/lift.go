package quarantine

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// lift the taint of a node whose last conviction this run refutes. The record comes first: it is refused if anything has convicted the node
// meanwhile, and the taint that goes after it is none but that of the record.
func (n *nodeWriter) lift(ctx context.Context) error {
	n.Taints.Lock()
	defer n.Taints.Unlock()
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

// removeTaint of a mark, once its record is gone.
func (n *nodeWriter) removeTaint(ctx context.Context, next taint.Next, mark string) error {
	put := fmt.Sprintf("%s:%s", next.Taint.Key, next.Taint.Effect)
	if len(next.Devices) > 0 {
		put += " of " + taint.DeviceNames(next.Devices, n.judgement.Result)
	}
	node, why := n.current.Node, fmt.Sprintf(untainted, n.Run.Name, put, nodevalidation.Benchmarks(next.Refuted))
	err := n.release(ctx, mark, func() {
		n.Recorder.Eventf(node, n.Run, corev1.EventTypeNormal, v1alpha1.ReasonTaintRemoved, "Untaint", "%s", why)
		n.Metrics.TaintRemoved()
		n.Webhook.TaintRemoved(node, mark, n.Run, why)
	})
	switch {
	case err != nil:
		return fmt.Errorf("lifting the taint: %w", err)
	case taint.Marked(n.current.Node): // it has failed again since, and what this run says of it is old
		return fmt.Errorf(liftOvertaken, n.name())
	}
	return nil
}

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
func (k *Keeper) readLive(ctx context.Context, name string) (*corev1.Node, *v1alpha1.NodeValidation, error) {
	node, record, err := controllers.LiveNode(ctx, k.Live, name)
	if err != nil || node == nil {
		return nil, nil, err
	}
	if node, err = k.Devices.ShowLive(ctx, node); err != nil {
		return nil, nil, err
	}
	return node, record, nil
}
