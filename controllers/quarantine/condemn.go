package quarantine

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/internal/quantity"
)

// tainting: the node is to be tainted, and not only convicted.
func (n *nodeWriter) tainting() bool { return n.next.Action == taint.AddTaint }

// decide what becomes of the node: by what is there at this moment, unless that makes no difference.
func (n *nodeWriter) decide(ctx context.Context) (bool, error) {
	if n.spent != "" {
		return false, n.carryOut(ctx, n.judgement.Spent(n.current, n.spent))
	}
	n.next = n.decision()
	if !n.tainting() || n.changed || !n.untouched() {
		if same, err := n.refresh(ctx); err != nil || !same {
			return false, err
		}
		n.next = n.decision()
	}
	n.note, n.counts, n.replaced = n.next.Note, n.isUnfit(), nil
	if n.tainting() && n.next.Replaces(n.current) {
		n.replaced = quarantineOf(n.current.Validation)
	}
	switch {
	case n.next.Action == taint.Lift:
		return false, n.liftNow(ctx)
	case n.tainting():
		err := n.Memory.refusedLately(n.name(), n.Clock.Now())
		return err == nil, err
	case n.judgement.Convicts(n.current, n.next):
		return true, nil
	}
	return false, n.carryOut(ctx, n.next)
}

func (n *nodeWriter) decision() taint.Next {
	if n.judgement.Taint == nil {
		return n.judgement.Next(n.current)
	}
	return n.judgement.Quarantine(n.current, func(t corev1.Taint) bool { return n.Policy.Refuses(t) == "" })
}

// untouched: as it was read, the node has nothing of Assay's that could have changed since. So it is not read anew to be tainted: if it was read
// too early, the API server refuses the record, or the taint.
func (n *nodeWriter) untouched() bool {
	return taint.MarkOn(n.current.Node) == "" && quarantineOf(n.current.Validation) == nil
}

// standBack from a node for which there is no room, before anything was written.
func (n *nodeWriter) standBack(ctx context.Context) error {
	if !n.tainting() {
		return n.carryOut(ctx, n.judgement.Spent(n.current, n.spent))
	}
	return n.store(ctx, n.judgement.Renounced(n.next.Validation, n.next.Standing), n.next.History)
}

// addTaint writes the taint that was announced. It is false where somebody else has put theirs there since the node was read, or the node is gone.
func (n *nodeWriter) addTaint(ctx context.Context) (bool, error) {
	if !n.tainting() {
		return true, nil
	}
	changed, err := n.bind(ctx)
	switch {
	case controllers.IsDenied(err):
		return false, n.refusedTaint(ctx, err)
	case apierrors.IsConflict(err): // it is decided anew, by what is there then
		n.changed = true
		return false, errors.Join(n.withdraw(ctx), fmt.Errorf("tainting: %w", err))
	case err != nil:
		return false, fmt.Errorf("tainting: %w", err)
	case !n.bound():
		return false, n.giveUpTaint(ctx)
	case changed:
		n.announcements.Set(n.mark(), announcement{seen: true})
	}
	return true, nil
}

// bound: the node carries the taint of its quarantine, with the mark.
func (n *nodeWriter) bound() bool {
	q := n.current.Validation.Quarantine
	return taint.StateOf(n.current.Node, taint.Of(q), q) == taint.Ours
}

// tellTaint is what tells of the taint once it has come, and that what it replaces is gone.
func (n *nodeWriter) tellTaint() func() {
	node, result, replaced := n.current.Node, n.judgement.Result, n.replaced
	q, t := n.current.Validation.Quarantine, taint.Of(n.current.Validation.Quarantine)
	put := fmt.Sprintf("%s=%s:%s", t.Key, t.Value, t.Effect)
	said := fmt.Sprintf(taintPut, n.Run.Name, put, quantity.Clip(n.judgement.Message, 900))
	if len(q.Devices) > 0 {
		said = fmt.Sprintf(devicesOut, n.Run.Name, put, taint.OutOfService(q.Devices, result), quantity.Clip(n.judgement.Message, 600))
	}
	if replaced != nil {
		said = quantity.Clip(fmt.Sprintf(inPlaceOfEarlier, said), 1000)
	}
	return func() {
		if replaced != nil {
			n.Metrics.TaintRemoved()
			n.Webhook.TaintRemoved(node, taint.MarkOf(replaced), n.Run, said)
		}
		n.Recorder.Eventf(node, n.Run, corev1.EventTypeWarning, v1alpha1.ReasonTaintAdded, "Taint", "%s", said)
		n.Metrics.TaintAdded()
		n.Webhook.TaintAdded(node, q, result)
	}
}

// refusedTaint withdraws what was announced for a node that the API server does not let be tainted, so that it takes up no room.
func (n *nodeWriter) refusedTaint(ctx context.Context, cause error) error {
	cause = fmt.Errorf(taintRefused, cause, refusedRecheck)
	n.Memory.refusals.Set(n.name(), refusal{n.Clock.Now(), cause})
	n.Recorder.Eventf(n.current.Node, n.Run, corev1.EventTypeWarning, v1alpha1.ReasonTaintRefused, "Taint", "%s", quantity.Clip(cause.Error(), 1000))
	return errors.Join(cause, n.withdraw(ctx))
}

// giveUpTaint withdraws what was announced for a node that carries a taint of others in its place: it is convicted without one.
func (n *nodeWriter) giveUpTaint(ctx context.Context) error {
	if n.replaced != nil {
		return n.withdraw(ctx)
	}
	unannounced := n.current
	unannounced.Validation = n.current.Validation.DeepCopy()
	unannounced.Validation.Quarantine = nil
	next := n.judgement.Quarantine(unannounced, func(corev1.Taint) bool { return true })
	if next.Action == taint.AddTaint { // nothing is there, not even the node: the record goes with it
		return nil
	}
	return n.carryOut(ctx, next)
}
