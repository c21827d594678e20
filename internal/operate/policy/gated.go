package policy

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func (p *pass) newGate() gate {
	g := gate{Gate: p.spec.Gate}
	if g.Gate == nil {
		return g
	}
	g.taint = gateTaint(g.Gate)
	g.name = g.taint.Key + ":" + string(g.taint.Effect)
	g.timeout = seconds(g.TimeoutSeconds)
	g.allowed = p.GateAllowed == nil || p.GateAllowed(g.taint.Key)
	g.rivals = rivalsOf(p.Policy, p.Policies)
	return g
}

// noteGate of a gated node: since when it is closed, in this pass and later ones.
func (p *pass) noteGate(n *node) {
	if s := &n.seen; s.Gate != p.gate.name {
		s.GatedSince, s.ClosedSince, s.Gate = time.Time{}, time.Time{}, ""
		s.Closed, s.Kept, s.Stuck, s.ByHand = false, false, false, false
	}
	if !n.gated {
		return
	}
	n.seen.Gate = p.gate.name
	if n.seen.GatedSince.IsZero() || n.seen.GatedSince.After(p.now) {
		n.seen.GatedSince = p.now
	}
	if n.seen.ClosedSince.IsZero() || n.seen.ClosedSince.After(p.now) {
		n.seen.ClosedSince = p.closedSince(n)
	}
}

// wasInvalid: until now, nothing was done about the policy's nodes.
func (p *pass) wasInvalid() bool {
	c := meta.FindStatusCondition(p.Policy.Status.Conditions, v1alpha1.ConditionReady)
	return c != nil && c.Reason == v1alpha1.ReasonInvalid
}

// closedSince: a young node that was never let in is gated since it was made. An old one that this process knew without the taint was
// gated again.
func (p *pass) closedSince(n *node) time.Time {
	made := n.Object.CreationTimestamp.Time
	first := p.First || p.wasInvalid()
	if n.Object.Annotations[v1alpha1.AnnotationGate] == "" && (first || p.now.Before(made.Add(p.gate.timeout))) {
		return p.clamp(made)
	}
	return n.seen.GatedSince
}
