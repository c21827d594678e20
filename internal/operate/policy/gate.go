package policy

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
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
	// conflict is the first node that a rival selects as well.
	conflictNode, conflictWith string
}

// rival is another policy that opens gates by the same taint.
type rival struct {
	name   string
	labels labels.Selector
}

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

// rivalsOf a policy with a gate.
func rivalsOf(policy *v1alpha1.ValidationPolicy, all []*v1alpha1.ValidationPolicy) []rival {
	var rivals []rival
	own := gateTaint(policy.Spec.Gate)
	for _, other := range all {
		if other.UID == policy.UID || other.Spec.Gate == nil || !other.DeletionTimestamp.IsZero() {
			continue
		}
		if t := gateTaint(other.Spec.Gate); t.Key != own.Key || t.Effect != own.Effect {
			continue
		}
		if s, err := other.Spec.ByLabels(); err == nil {
			rivals = append(rivals, rival{other.Name, s})
		}
	}
	return rivals
}

// gateTaint of a policy, with its defaults where the API server did not fill them in.
func gateTaint(g *v1alpha1.Gate) corev1.Taint {
	t := corev1.Taint{Key: g.Taint.Key, Value: g.Taint.Value, Effect: g.Taint.Effect}
	if t.Key == "" {
		t.Key = v1alpha1.DefaultGateKey
	}
	if t.Effect == "" {
		t.Effect = corev1.TaintEffectNoSchedule
	}
	return t
}

// closedFor: the node carries the gate's taint, with whatever value.
func (g *gate) closedFor(n *corev1.Node) bool {
	return g.Gate != nil && taintOf(n, g.taint) != nil
}

func taintOf(n *corev1.Node, like corev1.Taint) *corev1.Taint {
	for i := range n.Spec.Taints {
		if t := &n.Spec.Taints[i]; t.Key == like.Key && t.Effect == like.Effect {
			return t
		}
	}
	return nil
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
