package policy

import (
	"cmp"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// gate of a policy. The zero value: it has none.
type gate struct {
	*v1alpha1.Gate
	taint corev1.Taint
	// name of the taint, without its value.
	name    string
	timeout time.Duration
	allowed bool
	rivals  []rival
}

// rival is another policy that opens gates by the same taint.
type rival struct {
	name   string
	labels labels.Selector
}

// rivalsOf a policy with a gate.
func rivalsOf(policy *v1alpha1.ValidationPolicy, all []*v1alpha1.ValidationPolicy) []rival {
	var rivals []rival
	own := gateTaint(policy.Spec.Gate)
	for _, other := range all {
		if other.UID == policy.UID || other.Spec.Gate == nil || !other.DeletionTimestamp.IsZero() {
			continue
		}
		t := gateTaint(other.Spec.Gate)
		if s, err := other.Spec.ByLabels(); err == nil && t.MatchTaint(&own) {
			rivals = append(rivals, rival{other.Name, s})
		}
	}
	return rivals
}

// gateTaint of a policy, with its defaults where the API server did not fill them in.
func gateTaint(g *v1alpha1.Gate) corev1.Taint {
	return corev1.Taint{Key: cmp.Or(g.Taint.Key, v1alpha1.DefaultGateKey), Value: g.Taint.Value, Effect: cmp.Or(g.Taint.Effect, corev1.TaintEffectNoSchedule)}
}

// closedFor: the node carries the gate's taint, with whatever value.
func (g *gate) closedFor(n *corev1.Node) bool {
	return g.Gate != nil && taintOf(n, g.taint) != nil
}

func taintOf(n *corev1.Node, like corev1.Taint) *corev1.Taint {
	return list.First(n.Spec.Taints, like.MatchTaint)
}

// rivalOf a node: the policy that selects it as well; empty: none.
func (g *gate) rivalOf(n *corev1.Node) string {
	for _, r := range g.rivals {
		if r.labels.Matches(labels.Set(n.Labels)) {
			return r.name
		}
	}
	return ""
}

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
func (s *surveyed) noteGate(n *node) {
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

// closedSince: a young node that was never let in is gated since it was made. An old one that this process knew without the taint was
// gated again.
func (s *surveyed) closedSince(n *node) time.Time {
	made := n.Object.CreationTimestamp.Time
	ready := meta.FindStatusCondition(s.Policy.Status.Conditions, v1alpha1.ConditionReady)
	first := s.First || ready != nil && ready.Reason == v1alpha1.ReasonInvalid // until now, nothing was done about the policy's nodes
	if n.Object.Annotations[v1alpha1.AnnotationGate] == "" && (first || s.now.Before(made.Add(s.gate.timeout))) {
		return s.clamp(made)
	}
	return n.seen.GatedSince
}
