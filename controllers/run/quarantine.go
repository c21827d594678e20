package run

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/nodestate"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/taint"
)

// refresh reads the node and what is known of it past the cache: what is lifted or counted must be what is there. It is false where
// the node is not the one that was measured any more.
func (n *nodeWriter) refresh(ctx context.Context) (bool, error) {
	node, key := &corev1.Node{}, client.ObjectKey{Name: n.name()}
	if err := n.Live.Get(ctx, key, node); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	if node.UID != n.current.Node.UID {
		return false, nil
	}
	validation := &v1alpha1.NodeValidation{}
	err := n.Live.Get(ctx, key, validation)
	switch {
	case apierrors.IsNotFound(err):
		validation = nil
	case err != nil:
		return false, fmt.Errorf("getting NodeValidation %s: %w", key.Name, err)
	}
	n.current = nodestate.Current{Node: node, Validation: validation}
	return true, nil
}

// quarantine taints a node that failed. The record of it comes first, and then the budgets are counted, record included: of two
// leaders that both think they lead, the later one to count sees what the other one has announced.
func (n *nodeWriter) quarantine(ctx context.Context) error {
	n.taints.Lock()
	defer n.taints.Unlock()
	if !n.current.Tainted() && n.budgetSpent != "" { // hundreds may be waiting: none is read anew for that
		return n.carryOut(ctx, n.judgement.Spent(n.current, n.budgetSpent))
	}
	if same, err := n.refresh(ctx); err != nil || !same {
		return err
	}
	next := n.judgement.Quarantine(n.current, func(t corev1.Taint) bool { return n.Policy.Refuses(t) == "" })
	if next.Action != nodestate.AddTaint {
		return n.carryOut(ctx, next)
	}
	why, err := n.overBudget(ctx, false)
	if err != nil || why != "" {
		n.note = why
		return errors.Join(err, n.store(ctx, n.judgement.Renounced(next.Validation, next.Standing)))
	}
	return n.addTaint(ctx, next)
}

// addTaint records the quarantine, counts once more, and writes the taint.
func (n *nodeWriter) addTaint(ctx context.Context, next nodestate.Next) error {
	if err := n.store(ctx, n.judgement.Announced(next)); err != nil {
		return err
	}
	why, err := n.overBudget(ctx, true)
	if err != nil {
		return err // the record stands, and counts; the next pass goes on from here
	}
	if why != "" {
		n.note = why
		return n.store(ctx, n.judgement.Renounced(n.current.Validation, next.Validation.Convictions))
	}
	t := *next.Taint
	changed, err := n.writeTaints(ctx, func(live []corev1.Taint) []corev1.Taint {
		if taint.StateOf(live, t, n.current.Validation.Quarantine) != taint.Absent {
			return live
		}
		return taint.With(live, t)
	})
	if err != nil {
		return fmt.Errorf("tainting: %w", err)
	}
	if changed {
		n.Recorder.Eventf(n.current.Node, n.run, corev1.EventTypeWarning, v1alpha1.ReasonTaintAdded, "Taint", "%s",
			message.Tainted(n.run.Name, fmt.Sprintf("%s=%s:%s", t.Key, t.Value, t.Effect), quantity.Clip(n.judgement.Message, 900)))
		n.Metrics.TaintAdded()
	}
	return n.carryOut(ctx, nodestate.Next{Action: nodestate.Show, Validation: n.current.Validation, Note: n.note})
}

// lift the taint of a node whose last conviction this run refutes.
func (n *nodeWriter) lift(ctx context.Context) error {
	n.taints.Lock()
	defer n.taints.Unlock()
	if same, err := n.refresh(ctx); err != nil || !same {
		return err
	}
	next := n.judgement.Lifted(n.current)
	if next.Action != nodestate.Lift {
		return n.carryOut(ctx, next)
	}
	if t := next.Taint; t != nil {
		changed, err := n.writeTaints(ctx, func(live []corev1.Taint) []corev1.Taint { return taint.Without(live, *t) })
		if err != nil {
			return fmt.Errorf("lifting the taint: %w", err)
		}
		if changed {
			n.Recorder.Eventf(n.current.Node, n.run, corev1.EventTypeNormal, v1alpha1.ReasonTaintRemoved, "Untaint", "%s",
				message.Untainted(n.run.Name, fmt.Sprintf("%s:%s", t.Key, t.Effect), taint.Benchmarks(next.Refuted)))
			n.Metrics.TaintRemoved()
		}
	}
	if next.Silent && n.judgement.Verdict == v1alpha1.VerdictFail {
		return n.store(ctx, next.Validation)
	}
	if w, ok := n.judgement.Freed(next.Validation); ok {
		if err := n.show(ctx, w); err != nil {
			return err
		}
	}
	return n.carryOut(ctx, next)
}

// writeTaints changes the taints that the node carries at this moment, under its resourceVersion; only what change does differs.
func (n *nodeWriter) writeTaints(ctx context.Context, change func([]corev1.Taint) []corev1.Taint) (wrote bool, err error) {
	err = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		live := &corev1.Node{}
		if err := n.Live.Get(ctx, client.ObjectKey{Name: n.name()}, live); err != nil {
			return err
		}
		if live.UID != n.current.Node.UID {
			return nil
		}
		n.current.Node = live
		taints := change(live.Spec.Taints)
		if len(taints) == len(live.Spec.Taints) {
			return nil
		}
		next := live.DeepCopy()
		next.Spec.Taints = taints
		if err := n.Update(ctx, next, client.FieldOwner(fieldOwner)); err != nil {
			return err
		}
		wrote, n.current.Node = true, next
		n.recent.Wrote(next)
		return nil
	})
	return wrote, client.IgnoreNotFound(err)
}
