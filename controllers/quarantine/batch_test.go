package quarantine

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/test/hand"
)

// TestWhoCountsAlreadyKeepsItsPlace: two nodes fail in one pass, and another run convicted the second one before: without a taint, or its leader
// stopped before it wrote the taint that it had announced. The budget has room for one, which is the second one's: it counts whatever becomes of
// the first.
func TestWhoCountsAlreadyKeepsItsPlace(t *testing.T) {
	untainted := convictedBy("other", "b", begin.Add(-time.Hour))
	j := deedOf(v1alpha1.VerdictFail, "b", "other", begin.Add(-time.Hour)).j
	announced := taint.Labelled(j.Announced(j.Quarantine(taint.Current{Node: nodeOf("b")}, func(corev1.Taint) bool { return true }), "id"), "b")
	announced.OwnerReferences = untainted.OwnerReferences
	for sentence, known := range map[string]*v1alpha1.NodeValidation{"convicted without a taint": untainted, "to be tainted": announced} {
		t.Run(sentence, func(t *testing.T) {
			h := hand.New(t, nodeOf("a"), nodeOf("b"), known.DeepCopy())
			r := keeperOf(h)
			r.Policy.MaxNodes = 1
			w := passOf(t, r, startedRun(), nodeOf("a"), nodeOf("b"))
			w.Out.Breaker.Input = taint.BreakerInput{Nodes: 2, Limit: 5,
				Judged: []taint.JudgedNode{{Name: "a", Verdict: v1alpha1.VerdictFail}, {Name: "b", Verdict: v1alpha1.VerdictFail}}}
			for _, name := range []string{"a", "b"} {
				node, read := &corev1.Node{}, &v1alpha1.NodeValidation{}
				if err := h.Get(t.Context(), client.ObjectKey{Name: name}, node); err != nil {
					t.Fatal(err)
				}
				if h.Get(t.Context(), client.ObjectKey{Name: name}, read) != nil {
					read = nil
				}
				w.Out.Judged = append(w.Out.Judged, judged(node, read, deedOf(v1alpha1.VerdictFail, name, "run-uid", begin).j))
			}
			if err := w.Act(t.Context(), w.Pass); err != nil {
				t.Fatal(err)
			}
			if v := h.Validation(t); len(v.Convictions) > 0 || len(h.Taints(t)) > 0 {
				t.Errorf("node a is convicted of %v, and carries %v", v.Convictions, h.Taints(t))
			}
			b := &corev1.Node{}
			if err := h.Get(t.Context(), client.ObjectKey{Name: "b"}, b); err != nil || len(b.Spec.Taints) != 1 {
				t.Errorf("node b carries %v, error %v", b.Spec.Taints, err)
			}
		})
	}
}

// TestTheUnfitDoNotWaitForTheFit: of nodes that are judged in one pass, one that fails is tainted before anything is written of one that nothing speaks
// against, and after one that passes has made room for it.
func TestTheUnfitDoNotWaitForTheFit(t *testing.T) {
	was := quarantined(begin.Add(-time.Hour))
	nodes := []*corev1.Node{tainted(was), nodeOf("b"), nodeOf("c")}
	h := hand.New(t, nodes[0], nodes[1], nodes[2], was)
	r := keeperOf(h)
	r.Policy.MaxNodes = 1
	w := passOf(t, r, startedRun(), nodes...)
	w.Out.Breaker.Input = taint.BreakerInput{Nodes: 3, Limit: 5, Judged: []taint.JudgedNode{{Name: "a", Verdict: v1alpha1.VerdictPass},
		{Name: "b", Verdict: v1alpha1.VerdictPass}, {Name: "c", Verdict: v1alpha1.VerdictFail}}}
	for i, verdict := range []v1alpha1.Verdict{v1alpha1.VerdictPass, v1alpha1.VerdictPass, v1alpha1.VerdictFail} {
		node, read := &corev1.Node{}, &v1alpha1.NodeValidation{}
		if err := h.Get(t.Context(), client.ObjectKeyFromObject(nodes[i]), node); err != nil {
			t.Fatal(err)
		}
		if h.Get(t.Context(), client.ObjectKeyFromObject(nodes[i]), read) != nil {
			read = nil
		}
		w.Out.Judged = append(w.Out.Judged, judged(node, read, deedOf(verdict, node.Name, "run-uid", begin).j))
	}
	if err := w.Act(t.Context(), w.Pass); err != nil {
		t.Fatal(err)
	}
	lifted, failed := slices.Index(h.Writes, "patch Node a"), slices.Index(h.Writes, "patch Node c")
	fit := slices.IndexFunc(h.Writes, func(write string) bool { return strings.HasSuffix(write, " b") })
	if lifted < 0 || failed < lifted || fit < failed {
		t.Errorf("written are %q, want the taint of a lifted, then c tainted, then what is known of b", h.Writes)
	}
}
