package policy

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func (g *given) newGate() gate {
	made := gate{Gate: g.spec.Gate}
	if made.Gate == nil {
		return made
	}
	made.taint = gateTaint(made.Gate)
	made.name = made.taint.Key + ":" + string(made.taint.Effect)
	made.timeout = seconds(made.TimeoutSeconds)
	made.allowed = g.GateAllowed == nil || g.GateAllowed(made.taint.Key)
	made.rivals = rivalsOf(g.Policy, g.Policies)
	return made
}

// noteGate of a gated node: since when it is closed, in this pass and later ones.
func (g *given) noteGate(n *node) {
	if s := &n.seen; s.Gate != g.gate.name {
		s.GatedSince, s.ClosedSince, s.Gate = time.Time{}, time.Time{}, ""
		s.Closed, s.Kept, s.Stuck, s.ByHand = false, false, false, false
	}
	if !n.gated {
		return
	}
	n.seen.Gate = g.gate.name
	if n.seen.GatedSince.IsZero() || n.seen.GatedSince.After(g.now) {
		n.seen.GatedSince = g.now
	}
	if n.seen.ClosedSince.IsZero() || n.seen.ClosedSince.After(g.now) {
		n.seen.ClosedSince = g.closedSince(n)
	}
}

// wasInvalid: until now, nothing was done about the policy's nodes.
func (g *given) wasInvalid() bool {
	c := meta.FindStatusCondition(g.Policy.Status.Conditions, v1alpha1.ConditionReady)
	return c != nil && c.Reason == v1alpha1.ReasonInvalid
}

// closedSince: a young node that was never let in is gated since it was made. An old one that this process knew without the taint was
// gated again.
func (g *given) closedSince(n *node) time.Time {
	made := n.Object.CreationTimestamp.Time
	first := g.First || g.wasInvalid()
	if n.Object.Annotations[v1alpha1.AnnotationGate] == "" && (first || g.now.Before(made.Add(g.gate.timeout))) {
		return g.clamp(made)
	}
	return n.seen.GatedSince
}
