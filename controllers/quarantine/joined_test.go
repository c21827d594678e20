package quarantine

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/test/hand"
)

// TestANodeThatTheCacheHasNotSeenCounts (P5): a node joined, or was replaced, and another leader tainted it. The cache of this one has not seen it yet.
func TestANodeThatTheCacheHasNotSeenCounts(t *testing.T) {
	record := convictedBy("other", "b", begin.Add(-time.Hour))
	record.Quarantine = quarantined(begin.Add(-time.Hour)).Quarantine
	record.Fingerprint.NodeUID = "uid-b"
	record = taint.Labelled(record, "b")
	marked, _ := taint.Bind(nodeOf("b"), record.Quarantine)
	before := nodeOf("b")
	before.UID = "uid-before"
	for sentence, seen := range map[string][]*corev1.Node{"it joined": nil, "it was replaced": {before}} {
		t.Run(sentence, func(t *testing.T) {
			h := hand.New(t, nodeOf("a"), marked.DeepCopy(), record.DeepCopy())
			w, n := acting(t, h, judgement(v1alpha1.VerdictFail, begin), nil)
			n.Policy.MaxNodes, w.Nodes = 1, append(w.Nodes, seen...)
			if err := n.all(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := h.Taints(t); len(got) > 0 {
				t.Errorf("a is tainted beside b, and one may be: %v; its note is %q", got, n.note)
			}
		})
	}
}
