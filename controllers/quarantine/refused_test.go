package quarantine

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/test/hand"
)

// knownByMuch is what is known of node a by a run that measured it before.
func knownByMuch() (*v1alpha1.NodeValidation, *v1alpha1.NodeHistory) {
	v, h := passedLater(quarantined(begin.Add(-2 * time.Hour)))
	v.Convictions, v.Quarantine = nil, nil
	run := v1alpha1.PassingRun{RunUID: "later", Time: metav1.NewTime(begin.Add(-time.Minute))}
	h.Benchmarks[0].Passes = []v1alpha1.PassHistory{{Runs: []v1alpha1.PassingRun{run}, Metrics: []v1alpha1.MetricHistory{{Metric: "triad",
		Parts: []v1alpha1.PartHistory{{At: "gpu0", Passes: 1, Baseline: "10", Recent: []v1alpha1.PassingValue{"10"}}}}}}}
	return v, h
}

// TestAnUnfitNodeIsTaintedWhateverItsHistoryHolds: what the API server refuses once it refuses for ever.
func TestAnUnfitNodeIsTaintedWhateverItsHistoryHolds(t *testing.T) {
	known, past := knownByMuch()
	h := hand.New(t, nodeOf("a"), known, past)
	w, n := acting(t, h, judgement(v1alpha1.VerdictFail, begin), h.Validation(t))
	refusals := 0
	h.Refuse = func(write string) error {
		if write == "update NodeHistory a" {
			refusals++
			return apierrors.NewRequestEntityTooLargeError("limit is 3145728")
		}
		return nil
	}
	if err := actOn(t, w, judged(n.current.Node, h.Validation(t), n.judgement)); err != nil {
		t.Fatal(err)
	}
	if taints := h.Taints(t); len(taints) != 1 || refusals == 0 {
		t.Errorf("after %d refusals the unfit node carries %v, want one taint; writes %q", refusals, taints, h.Writes)
	}
	v := h.Validation(t)
	if len(v.Convictions) != 1 || v.Quarantine == nil || v.Benchmarks[0].History[len(v.Benchmarks[0].History)-1].RunUID != w.Run.UID {
		t.Errorf("the record lacks what explains the taint: %+v", v)
	}
	if is := v.NodeHistory; is.UID != "history-of-a" || is.Generation != 1 || !is.IncompleteUntil.Equal(&metav1.Time{Time: begin}) {
		t.Errorf("it does not say that the history lacks this run: %+v", is)
	}
	if got, want := w.found["a"].Note, "the API server refused the NodeHistory"; !strings.HasPrefix(got, want) {
		t.Errorf("its note is %q, want %q", got, want)
	}
}

// TestALostHistoryConvictsNobody: a later run has passed the node, and what it held, by which the failure of this run is refuted, is lost with the
// history. Nor does that lift a taint.
func TestALostHistoryConvictsNobody(t *testing.T) {
	later := judgement(v1alpha1.VerdictPass, begin.Add(time.Minute))
	later.Run = v1alpha1.ObjectReference{Name: "later", UID: "later"}
	for sentence, c := range map[string]struct {
		lose func(*v1alpha1.NodeHistory) *v1alpha1.NodeHistory
		note string
	}{
		"nothing is lost": {func(h *v1alpha1.NodeHistory) *v1alpha1.NodeHistory { return h }, "a later measurement supersedes this one"},
		"it is deleted":   {func(*v1alpha1.NodeHistory) *v1alpha1.NodeHistory { return nil }, "not called unfit: benchmark stream measured the node again later"},
		"another one has taken its place": {func(*v1alpha1.NodeHistory) *v1alpha1.NodeHistory {
			return &v1alpha1.NodeHistory{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "another"}, NodeUID: "uid-a"}
		}, "not called unfit: benchmark stream measured the node again later"},
	} {
		t.Run(sentence, func(t *testing.T) {
			h := hand.New(t, nodeOf("a"))
			w, n := acting(t, h, later, nil)
			if err := actOn(t, w, judged(n.current.Node, nil, n.judgement)); err != nil {
				t.Fatal(err)
			}
			if lost := c.lose(h.History(t)); lost == nil || lost.UID == "another" {
				if err := h.Delete(t.Context(), h.History(t)); err != nil {
					t.Fatal(err)
				}
				if lost != nil {
					if err := h.Create(t.Context(), lost); err != nil {
						t.Fatal(err)
					}
				}
			}
			w, n = acting(t, h, judgement(v1alpha1.VerdictFail, begin), h.Validation(t))
			for range 2 {
				if err := actOn(t, w, judged(n.current.Node, h.Validation(t), n.judgement)); err != nil {
					t.Fatal(err)
				}
				if v := h.Validation(t); len(h.Taints(t))+len(v.Convictions) > 0 || v.Benchmarks[0].History[len(v.Benchmarks[0].History)-1].RunUID != "later" {
					t.Errorf("taints %v, %+v", h.Taints(t), v)
				}
			}
			if got := w.found["a"].Note; !strings.Contains(got, c.note) {
				t.Errorf("its note is %q, want %q", got, c.note)
			}
		})
	}
}

// TestATaintThatIsRefusedForGoodTakesNoRoom: it is withdrawn at once, told, and tried again after a while only. What fails for the moment stays
// announced, anew each time.
func TestATaintThatIsRefusedForGoodTakesNoRoom(t *testing.T) {
	h := hand.New(t, nodeOf("a"))
	w, n := acting(t, h, judgement(v1alpha1.VerdictFail, begin), nil)
	clock := testclock.NewFakePassiveClock(begin)
	w.Clock = clock
	answer := error(apierrors.NewServiceUnavailable("for a moment"))
	h.Refuse = func(write string) error {
		if write == "patch Node a" {
			return answer
		}
		return nil
	}
	pass := func() error {
		var known *v1alpha1.NodeValidation
		if len(h.Writes) > 0 {
			known = h.Validation(t)
		}
		return actOn(t, w, judged(n.current.Node, known, n.judgement))
	}
	ids := map[string]bool{}
	for range 3 {
		if pass() == nil {
			t.Error("it is not tried again")
		}
		ids[string(h.Validation(t).Quarantine.ID)] = true
	}
	if got := strings.Count(strings.Join(h.Writes, "\n"), "NodeValidation"); len(ids) != 3 || got != 3 {
		t.Errorf("%d ids, %d writes of the record: %q", len(ids), got, h.Writes)
	}
	answer = apierrors.NewForbidden(resources, "a", errors.New("denied by policy"))
	h.Told()
	for range 3 {
		if err := pass(); err == nil || !strings.Contains(err.Error(), "denied by policy; the node is neither tainted nor counted") {
			t.Errorf("error %v", err)
		}
	}
	if v := h.Validation(t); v.Quarantine != nil || len(v.Convictions) > 0 {
		t.Errorf("it takes up room: %+v, %v", v.Quarantine, v.Convictions)
	}
	if tries := strings.Count(strings.Join(h.Writes, "\n"), "patch Node"); tries != 4 {
		t.Errorf("%d tries, want 3 and 1: %q", tries, h.Writes)
	}
	if told := h.Told(); len(told) != 1 || !strings.HasPrefix(told[0], "Warning TaintRefused tainting: ") {
		t.Errorf("events %q", told)
	}
	answer = nil
	clock.SetTime(begin.Add(refusedRecheck))
	if err := pass(); err != nil || len(h.Taints(t)) != 1 {
		t.Errorf("error %v, taints %v", err, h.Taints(t))
	}
}

// TestOtherErrorsForgetNothing: a conflict or an API server that is away says nothing about what was written.
func TestOtherErrorsForgetNothing(t *testing.T) {
	for _, away := range []string{"update NodeHistory a", "update NodeValidation a"} {
		known, past := knownByMuch()
		h := hand.New(t, nodeOf("a"), known, past)
		w, n := acting(t, h, judgement(v1alpha1.VerdictFail, begin), h.Validation(t))
		h.Refuse = func(write string) error {
			if write == away {
				return apierrors.NewServiceUnavailable("etcd has no leader")
			}
			return nil
		}
		if err := actOn(t, w, judged(n.current.Node, h.Validation(t), n.judgement)); err == nil {
			t.Error("no error: nobody would try again")
		}
		if len(h.History(t).Benchmarks[0].Passes) != 1 || len(h.Validation(t).Convictions)+len(h.Taints(t)) > 0 {
			t.Errorf("an error that passes changed something: %q", h.Writes)
		}
	}
}

// TestANodeThatAWebhookProtectsTakesNoRoomOfOthers: a webhook that denies without a code is passed on as 400 without a reason. It is as final as any
// other refusal: the next unfit node gets the room.
func TestANodeThatAWebhookProtectsTakesNoRoomOfOthers(t *testing.T) {
	h := hand.New(t, nodeOf("a"), nodeOf("b"))
	w, _ := acting(t, h, judgement(v1alpha1.VerdictFail, begin), nil)
	w.Policy.MaxNodes, w.Nodes = 1, append(w.Nodes, nodeOf("b"))
	w.Out.Breaker.Input = taint.BreakerInput{Nodes: 2, Limit: 2, Judged: []taint.JudgedNode{
		{Name: "a", Verdict: v1alpha1.VerdictFail}, {Name: "b", Verdict: v1alpha1.VerdictFail}}}
	denied := &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: 400,
		Message: `admission webhook "nodes.example.com" denied the request: this node is not to be changed`}}
	h.Refuse = hand.Refusing("patch Node a", 99, denied)
	for range 2 {
		w.Out.Judged = nil
		for _, name := range []string{"a", "b"} {
			d, node, known := deedOf(v1alpha1.VerdictFail, name, "run-uid", begin), &corev1.Node{}, &v1alpha1.NodeValidation{}
			if err := h.Get(t.Context(), client.ObjectKey{Name: name}, node); err != nil {
				t.Fatal(err)
			}
			if err := h.Get(t.Context(), client.ObjectKey{Name: name}, known); err != nil {
				known = nil
			}
			w.Out.Judged = append(w.Out.Judged, judged(node, known, d.j))
		}
		if err := w.Act(t.Context(), w.Pass); err == nil || !strings.Contains(err.Error(), "denied the request") {
			t.Errorf("error %v", err)
		}
	}
	b := &corev1.Node{}
	if err := h.Get(t.Context(), client.ObjectKey{Name: "b"}, b); err != nil {
		t.Fatal(err)
	}
	if v := h.Validation(t); len(b.Spec.Taints) != 1 || v.Quarantine != nil {
		t.Errorf("b carries %v, and the record of a says %+v: %q", b.Spec.Taints, v.Quarantine, h.Writes)
	}
}
