package run

import (
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// knownByMuch is what is known of node a by a run that measured it before, with all that may be left out.
func knownByMuch() *v1alpha1.NodeValidation {
	v := passedLater(quarantined(begin.Add(-2 * time.Hour)))
	v.Convictions, v.Quarantine = nil, nil
	b := &v.Benchmarks[0]
	run := v1alpha1.PassingRun{RunUID: "later", Time: metav1.NewTime(begin.Add(-time.Minute))}
	b.Passes = []v1alpha1.PassHistory{{Runs: []v1alpha1.PassingRun{run}, Metrics: []v1alpha1.MetricHistory{{Metric: "triad",
		Parts: []v1alpha1.PartHistory{{At: "gpu0", Passes: 1, Baseline: "10", Recent: "10"}}}}}}
	b.Warnings = []v1alpha1.Finding{{Message: "gpu0 drifts"}}
	b.History[0].Unconfirmed = []v1alpha1.PartReference{{At: "gpu0"}}
	return v
}

// TestAnUnfitNodeIsTaintedWhateverItsHistoryHolds: what the API server refuses once it refuses for ever.
func TestAnUnfitNodeIsTaintedWhateverItsHistoryHolds(t *testing.T) {
	h := newHand(t, nodeOf("a"), knownByMuch())
	w, n := acting(t, h, judgement(v1alpha1.VerdictFail, begin), h.validation(t))
	refusals, whole := 0, false
	h.refuse = func(write string) error {
		if whole = write == "update NodeValidation a" && !whole; whole { // every other one: the whole, then what is left of it
			refusals++
			return apierrors.NewRequestEntityTooLargeError("limit is 3145728")
		}
		return nil
	}
	if err := w.actOnNode(t.Context(), judged(n.current.Node, h.validation(t), n.judgement)); err != nil {
		t.Fatal(err)
	}
	if taints := h.taints(t); len(taints) != 1 {
		t.Errorf("the unfit node carries %v, want one taint; writes %q", taints, h.writes)
	}
	v := h.validation(t)
	if len(v.Convictions) != 1 || v.Quarantine == nil || len(v.Benchmarks[0].History) < 2 {
		t.Errorf("the record lacks what explains the taint: %+v", v)
	}
	if b := v.Benchmarks[0]; refusals != 1 || len(b.Passes)+len(b.Warnings)+len(b.History[0].Unconfirmed) > 0 {
		t.Errorf("after %d refusals, want 1, it still has %+v", refusals, b)
	}
	if got, want := w.written.Nodes["a"].Note, "the API server refused the node's history"; !strings.HasPrefix(got, want) {
		t.Errorf("its note is %q, want %q", got, want)
	}
}

// TestOtherErrorsForgetNothing: a conflict or an API server that is away says nothing about what was written.
func TestOtherErrorsForgetNothing(t *testing.T) {
	h := newHand(t, nodeOf("a"), knownByMuch())
	w, n := acting(t, h, judgement(v1alpha1.VerdictFail, begin), h.validation(t))
	h.refuse = func(write string) error {
		if write == "update NodeValidation a" {
			return apierrors.NewServiceUnavailable("etcd has no leader")
		}
		return nil
	}
	if err := w.actOnNode(t.Context(), judged(n.current.Node, h.validation(t), n.judgement)); err == nil {
		t.Error("no error: nobody would try again")
	}
	if len(h.validation(t).Benchmarks[0].Passes) != 1 || len(h.taints(t)) > 0 {
		t.Errorf("an error that passes changed something: %q", h.writes)
	}
}
