package quarantine

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/test/hand"
)

// TestAForgedMarkTakesNoTaintOfOthers: a kubelet may annotate its node, and change no taint of it. What it writes there must not make Assay open
// its gate, or remove what others put there.
func TestAForgedMarkTakesNoTaintOfOthers(t *testing.T) {
	gate := corev1.Taint{Key: v1alpha1.DefaultGateKey, Value: "pending", Effect: corev1.TaintEffectNoSchedule}
	another := corev1.Taint{Key: "assay.dev/burn-in", Effect: corev1.TaintEffectNoSchedule}
	policy := &v1alpha1.ValidationPolicy{}
	policy.Name, policy.Spec.Gate = "p", &v1alpha1.Gate{Taint: v1alpha1.GateTaint{Key: another.Key, Effect: another.Effect}}
	for sentence, others := range map[string]corev1.Taint{"the usual gate": gate, "the gate of a policy": another, "a key that no run may use": theirs} {
		for what, convicted := range map[string]bool{"nothing convicts the node": false, "a run convicts it": true} {
			t.Run(sentence+", "+what, func(t *testing.T) {
				node, _ := taint.Bind(nodeOf("a"), &v1alpha1.Quarantine{Key: others.Key, Value: others.Value, Effect: others.Effect, ID: "forged"})
				h := hand.New(t, node, policy.DeepCopy())
				if convicted {
					_, n := acting(t, h, judgement(v1alpha1.VerdictFail, begin), nil)
					if err := n.all(t.Context()); err != nil {
						t.Fatal(err)
					}
				} else if _, err := keeperOf(h).mend(t.Context(), "a"); err != nil {
					t.Fatal(err)
				}
				now := &corev1.Node{}
				if err := h.Get(t.Context(), client.ObjectKey{Name: "a"}, now); err != nil {
					t.Fatal(err)
				}
				if !equality.Semantic.DeepEqual(now.Spec.Taints[:min(1, len(now.Spec.Taints))], []corev1.Taint{others}) {
					t.Errorf("it carries %v", now.Spec.Taints)
				}
				if want := convicted; (len(now.Spec.Taints) == 2) != want || (taint.MarkOn(now) != "") != want {
					t.Errorf("it carries %v with mark %q", now.Spec.Taints, taint.MarkOn(now))
				}
			})
		}
	}
}
