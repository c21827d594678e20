package policy

import (
	"encoding/json"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Who opened a gate, in a GateRecord.
const (
	ByAssay    = "assay"
	ByTimeout  = "timeout"
	BySomebody = "somebody"
)

// GateRecord is the value of the annotation assay.dev/gate of a node: who opened its gate, and when.
type GateRecord struct {
	Policy string `json:"policy"`
	// Run whose measurement opened it; empty: none did.
	Run      string      `json:"run,omitempty"`
	OpenedAt metav1.Time `json:"openedAt"`
	By       string      `json:"by"`
}

// String is the annotation.
func (r GateRecord) String() string {
	text, err := json.Marshal(r)
	if err != nil {
		return ""
	}
	return string(text)
}

// recordOf a node; false: it has none that can be read.
func recordOf(n *corev1.Node) (GateRecord, bool) {
	var r GateRecord
	text := n.Annotations[v1alpha1.AnnotationGate]
	return r, text != "" && json.Unmarshal([]byte(text), &r) == nil
}

// gate of a policy. The zero value: it has none.
type gate struct {
	*v1alpha1.Gate
	taint   corev1.Taint
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
	g.timeout = seconds(g.TimeoutSeconds)
	g.allowed = p.GateAllowed == nil || p.GateAllowed(g.taint.Key)
	for _, other := range p.Policies {
		if other.UID == p.Policy.UID || other.Spec.Gate == nil || !other.DeletionTimestamp.IsZero() {
			continue
		}
		if t := gateTaint(other.Spec.Gate); t.Key != g.taint.Key || t.Effect != g.taint.Effect {
			continue
		}
		if s, err := metav1.LabelSelectorAsSelector(&other.Spec.NodeSelector); err == nil {
			g.rivals = append(g.rivals, rival{other.Name, s})
		}
	}
	return g
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

// gatedSince: a node that was never let in is gated since it was made.
func (p *pass) gatedSince(n *node) time.Time {
	if n.Object.Annotations[v1alpha1.AnnotationGate] == "" {
		return p.clamp(n.Object.CreationTimestamp.Time)
	}
	if n.seen.GatedSince.IsZero() {
		return p.now
	}
	return p.clamp(n.seen.GatedSince)
}
