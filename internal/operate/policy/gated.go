package policy

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func newGate(s Snapshot) gate {
	g := gate{Gate: s.Policy.Spec.Gate}
	if g.Gate == nil {
		return g
	}
	g.taint = gateTaint(g.Gate)
	g.name = g.taint.Key + ":" + string(g.taint.Effect)
	g.timeout = seconds(g.TimeoutSeconds)
	g.allowed = s.GateAllowed == nil || s.GateAllowed(g.taint.Key)
	g.rivals = rivalsOf(s.Policy, s.Policies)
	return g
}

// forgetGate: what was seen of it, and said, is over.
func (s *Seen) forgetGate() {
	s.Gate, s.GatedSince, s.ClosedSince = "", time.Time{}, time.Time{}
	s.Closed, s.Kept, s.Stuck, s.ByHand = false, false, false, false
}

// noteGate of a gated node: since when it is closed, in this pass and later ones.
func (s *surveying) noteGate(n *node) {
	if n.seen.Gate != s.gate.name {
		n.seen.forgetGate()
	}
	if !n.gated {
		return
	}
	n.seen.Gate = s.gate.name
	if n.seen.GatedSince.IsZero() || n.seen.GatedSince.After(s.now) {
		n.seen.GatedSince = s.now
	}
	if n.seen.ClosedSince.IsZero() || n.seen.ClosedSince.After(s.now) {
		n.seen.ClosedSince = s.closedSince(n)
	}
}

// wasInvalid: until now, nothing was done about the policy's nodes.
func (s *surveying) wasInvalid() bool {
	c := meta.FindStatusCondition(s.Policy.Status.Conditions, v1alpha1.ConditionReady)
	return c != nil && c.Reason == v1alpha1.ReasonInvalid
}

// closedSince: a young node that was never let in is gated since it was made. An old one that this process knew without the taint was
// gated again.
func (s *surveying) closedSince(n *node) time.Time {
	made := n.Object.CreationTimestamp.Time
	first := s.First || s.wasInvalid()
	if n.Object.Annotations[v1alpha1.AnnotationGate] == "" && (first || s.now.Before(made.Add(s.gate.timeout))) {
		return s.clamp(made)
	}
	return n.seen.GatedSince
}
