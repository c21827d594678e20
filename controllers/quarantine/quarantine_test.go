package quarantine

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/test/hand"
)

// all that is done about the node, as in a pass that judged no other.
func (n *nodeWriter) all(ctx context.Context) error {
	waits, err := n.act(ctx)
	if waits {
		return n.condemn(ctx, []*nodeWriter{n})
	}
	return err
}

// actOn a node, as a pass that judged no other does.
func actOn(t *testing.T, w *acts, judged assess.JudgedNode) error {
	t.Helper()
	w.Out.Judged = []assess.JudgedNode{judged}
	return w.Act(t.Context(), w.Pass)
}

// judged is a node as a pass hands it to the writer.
func judged(node *corev1.Node, v *v1alpha1.NodeValidation, j taint.Judgement) assess.JudgedNode {
	return assess.JudgedNode{Node: node, Validation: v, Result: j.Result, Verdict: j.Verdict,
		Judge: func(*v1alpha1.NodeValidation, *v1alpha1.NodeHistory) taint.Judgement { return j }}
}

// acting on node a by a judgement, as it was read, while the cluster has what it has.
func acting(t *testing.T, h *hand.Cluster, j taint.Judgement, read *v1alpha1.NodeValidation) (*acts, *nodeWriter) {
	t.Helper()
	node := &corev1.Node{}
	if err := h.Get(t.Context(), client.ObjectKey{Name: "a"}, node); err != nil {
		t.Fatal(err)
	}
	w := passOf(t, keeperOf(h), startedRun(), node)
	w.Out.Breaker.Input = taint.BreakerInput{Nodes: 1, Judged: []taint.JudgedNode{{Name: "a", Verdict: j.Verdict}}, Limit: 5}
	past, err := w.History(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	return w, &nodeWriter{pass: w.pass, judgement: j, current: taint.Current{Node: node, Validation: read, History: past}}
}

// TestALiftGoesByWhatIsThere: what was read may be old. A conviction that came meanwhile, or another machine of the same name, keeps
// its taint.
func TestALiftGoesByWhatIsThere(t *testing.T) {
	for sentence, c := range map[string]struct {
		convicted time.Time
		change    func(*corev1.Node)
		want      int
	}{
		"nothing has changed":                    {begin.Add(-time.Hour), func(*corev1.Node) {}, 0},
		"a later run has convicted it meanwhile": {begin.Add(time.Second), func(*corev1.Node) {}, 1},
		"the node is another machine":            {begin.Add(-time.Hour), func(n *corev1.Node) { n.UID = "another" }, 1},
	} {
		t.Run(sentence, func(t *testing.T) {
			node := tainted(quarantined(c.convicted))
			c.change(node)
			h := hand.New(t, node, quarantined(c.convicted))
			_, n := acting(t, h, judgement(v1alpha1.VerdictPass, begin), quarantined(begin.Add(-time.Hour)))
			n.current.Node.UID = "uid-a" // as it was read
			if err := n.all(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := h.Taints(t); len(got) != c.want {
				t.Errorf("it carries %v, want %d taints", got, c.want)
			}
		})
	}
}

// TestWhatAnotherRunPassedIsTold: a run that failed a node lifts what a later measurement of another one refutes, and says what that found, whether its own breaker is
// open or not.
func TestWhatAnotherRunPassedIsTold(t *testing.T) {
	for sentence, open := range map[string]bool{"the breaker is open": true, "the breaker is closed": false} {
		t.Run(sentence, func(t *testing.T) {
			known, past := passedLater(quarantined(begin.Add(-time.Hour)))
			h := hand.New(t, nodeOf("a"), known, past) // somebody took the taint away
			j := judgement(v1alpha1.VerdictFail, begin.Add(-2*time.Hour))
			j.BreakerOpen = open
			_, n := acting(t, h, j, h.Validation(t))
			if err := n.all(t.Context()); err != nil {
				t.Fatal(err)
			}
			if v := h.Validation(t); len(v.Convictions) > 0 || v.Quarantine != nil {
				t.Errorf("it is still convicted of %v, quarantine %v", v.Convictions, v.Quarantine)
			}
			if shown := strings.Count(strings.Join(h.Writes, "\n"), "apply status of Node"); shown != 1 {
				t.Errorf("it is told %d times, want once: %q", shown, h.Writes)
			}
		})
	}
}

// passedLater is what is known of a node once another run has refuted all that it was convicted of, before anybody has lifted the taint.
func passedLater(v *v1alpha1.NodeValidation) (*v1alpha1.NodeValidation, *v1alpha1.NodeHistory) {
	j := judgement(v1alpha1.VerdictPass, begin.Add(-time.Minute))
	j.Run = v1alpha1.ObjectReference{Name: "later", UID: "later"}
	lifted := j.Lifted(taint.Current{Node: nodeOf("a"), Validation: v})
	next, past := lifted.Validation, lifted.History
	next.Convictions, next.Quarantine = v.Convictions, v.Quarantine
	past.UID, past.Generation = "history-of-a", 1
	return taint.Labelled(referring(next, past), "a"), past
}

// TestARecordGoesWithItsNode: without an owner the garbage collector would leave the record, and a machine of the same name inherit it.
func TestARecordGoesWithItsNode(t *testing.T) {
	h := hand.New(t, nodeOf("a"))
	_, n := acting(t, h, judgement(v1alpha1.VerdictFail, begin), nil)
	if err := n.all(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "a", UID: "uid-a"}}
	if diff := cmp.Diff(want, h.Validation(t).OwnerReferences); diff != "" {
		t.Errorf("the record's owners (-want +got):\n%s", diff)
	}
	if told := h.Told(); len(told) != 2 || !strings.HasPrefix(told[0], "Warning NodeFailed run run: message") {
		t.Errorf("events %q", told)
	}
	if want := []string{"create NodeHistory a", "create NodeValidation a", "patch Node a", "apply status of Node"}; !cmp.Equal(want, h.Writes) {
		t.Errorf("%q: the record comes before the taint, want %q", h.Writes, want)
	}
}

// TestARecordTooManyIsTakenBack: two leaders have announced a quarantine, and the budget allows one. The later one to count renounces its own
// announcement, never that of another run.
func TestARecordTooManyIsTakenBack(t *testing.T) {
	other := taint.Labelled(quarantined(begin), "b")
	other.Fingerprint.NodeUID = "uid-b"
	h := hand.New(t, nodeOf("a"), nodeOf("b"), other)
	_, n := acting(t, h, judgement(v1alpha1.VerdictFail, begin), nil)
	n.Policy.MaxNodes = 1
	n.Nodes = append(n.Nodes, nodeOf("b"))
	h.Refuse = func(write string) error {
		if write == "create NodeValidation a" { // the taint of b arrives in this moment
			b, _ := taint.Bind(nodeOf("b"), other.Quarantine)
			return h.WithWatch.Update(t.Context(), b)
		}
		return nil
	}
	if err := n.all(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v := h.Validation(t); v.Quarantine != nil || len(v.Convictions) > 0 || len(h.Taints(t)) > 0 {
		t.Errorf("node a is quarantined: %+v, convicted of %v, taints %v", v.Quarantine, v.Convictions, h.Taints(t))
	}
	if want := "not tainted: 1 of 2 nodes of the cluster are quarantined"; !strings.HasPrefix(n.note, want) {
		t.Errorf("its note is %q, want %q", n.note, want)
	}
}

// TestANodeIsToldOnce: the cache shows late what was applied.
func TestANodeIsToldOnce(t *testing.T) {
	h := hand.New(t, nodeOf("a"))
	_, n := acting(t, h, judgement(v1alpha1.VerdictPass, begin), nil)
	for range 2 {
		if err := n.show(t.Context(), n.judgement.Word()); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"apply status of Node"}; !cmp.Equal(want, h.Writes) {
		t.Errorf("writes %q, want %q", h.Writes, want)
	}
	n.judgement.Message = "another message"
	if err := n.show(t.Context(), n.judgement.Word()); err != nil || len(h.Writes) != 2 {
		t.Errorf("error %v; news of the node are not told: %q", err, h.Writes)
	}
}

// TestASettledNodeIsLookedAtAgain once anything has changed that decides what is done about it; until then, nothing is read or written.
func TestASettledNodeIsLookedAtAgain(t *testing.T) {
	changes := map[string]func(*nodeWriter){
		"node":       func(n *nodeWriter) { n.current.Node.Spec.Taints = []corev1.Taint{unfit} },
		"validation": func(n *nodeWriter) { n.current.Validation.ResourceVersion = "2" },
		"result":     func(n *nodeWriter) { n.judgement.Result.ResourceVersion = "2" },
		"verdict":    func(n *nodeWriter) { n.judgement.Verdict = v1alpha1.VerdictFail },
		"breaker":    func(n *nodeWriter) { n.judgement.BreakerOpen = true },
	}
	fields := reflect.TypeFor[standing]()
	for i := range fields.NumField() {
		field := fields.Field(i).Name
		change := changes[field]
		if change == nil {
			t.Errorf("%s decides what is done about a node: change it here", field)
			continue
		}
		n := &nodeWriter{judgement: judgement(v1alpha1.VerdictPass, begin), current: taint.Current{Node: nodeOf("a"), Validation: quarantined(begin)}}
		var m Memory
		m.settled.Set("a", settledNode{standing: n.standing()})
		is := func(node string) bool {
			_, ok := m.note(node, n.standing())
			return ok
		}
		if !is("a") || is("b") {
			t.Error("another node is settled than the one that is")
		}
		if change(n); is("a") {
			t.Errorf("the %s has changed, and the node is settled as before", field)
		}
	}
}

// TestASettledNodeIsLeftAlone, but one that waits to be tainted is not settled: the next pass may taint it.
func TestASettledNodeIsLeftAlone(t *testing.T) {
	h := hand.New(t, nodeOf("a"))
	w, n := acting(t, h, judgement(v1alpha1.VerdictPass, begin), nil)
	if err := actOn(t, w, judged(n.current.Node, nil, n.judgement)); err != nil {
		t.Fatal(err)
	}
	now := standing{node: taint.CarriedBy(n.current.Node), validation: h.Validation(t).ResourceVersion, verdict: v1alpha1.VerdictPass}
	if _, ok := w.Memory.note("a", now); !ok {
		t.Errorf("it is not settled as %+v", now)
	}
	before := len(h.Writes)
	if err := actOn(t, w, judged(n.current.Node, h.Validation(t), n.judgement)); err != nil || len(h.Writes) != before {
		t.Errorf("error %v, writes %q after it was settled", err, h.Writes[before:])
	}
	n.judgement = judgement(v1alpha1.VerdictFail, begin)
	n.judgement.TaintRefused = "the key is not allowed"
	for range 2 {
		if err := actOn(t, w, judged(n.current.Node, h.Validation(t), n.judgement)); err != nil {
			t.Fatal(err)
		}
		if got := w.found["a"].Note; got != "not tainted: the key is not allowed" {
			t.Errorf("its note is %q", got)
		}
		w.found["a"] = assess.NodeWritten{}
	}
	if told := strings.Count(strings.Join(h.Writes[before:], "\n"), "apply status of Node"); told > 0 {
		t.Errorf("a run that may not taint any more tells of the node all the same: %q", h.Writes[before:])
	}
	if told := strings.Count(strings.Join(h.Told(), "\n"), "NodeFailed"); told != 1 {
		t.Errorf("%d events of one offence", told)
	}
	w.stored["r"] = resultOf("r", "a") // as this pass has written it
	w.stored["r"].ResourceVersion = "7"
	n.judgement = judgement(v1alpha1.VerdictPass, begin)
	if err := actOn(t, w, judged(n.current.Node, h.Validation(t), n.judgement)); err != nil {
		t.Fatal(err)
	}
	now = standing{node: taint.CarriedBy(n.current.Node), validation: h.Validation(t).ResourceVersion, result: "7", verdict: v1alpha1.VerdictPass}
	if _, ok := w.Memory.note("a", now); !ok {
		t.Errorf("it is not settled as %+v", now)
	}
}

// TestAQuarantineGoesByWhatIsThere: a taint that somebody has put on the node since it was read stays theirs, and another machine of the
// same name gets none.
func TestAQuarantineGoesByWhatIsThere(t *testing.T) {
	foreign := unfit
	foreign.Value = "somebody"
	h := hand.New(t, nodeOf("a"))
	_, n := acting(t, h, judgement(v1alpha1.VerdictFail, begin), nil)
	theirs := n.current.Node.DeepCopy()
	theirs.Spec.Taints = []corev1.Taint{foreign}
	if err := h.WithWatch.Update(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	if err := n.all(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v := h.Validation(t); v.Quarantine != nil || !strings.Contains(n.note, "no record of Assay explains") {
		t.Errorf("recorded as %+v, note %q", v.Quarantine, n.note)
	}
	n.current.Node = nodeOf("a")
	n.current.Node.UID, n.current.Node.ResourceVersion = "another", "1" // as it was read
	n.current.Validation = quarantined(begin)
	wrote, err := n.bind(t.Context())
	if !apierrors.IsConflict(err) || wrote {
		t.Errorf("a taint is written to another machine: %v, error %v", wrote, err)
	}
}

// TestASpentBudgetCostsNoReads: hundreds of nodes may be waiting. What is tainted already goes on being looked at.
func TestASpentBudgetCostsNoReads(t *testing.T) {
	spent := func(n *nodeWriter) *budget {
		n.Policy.MaxPercent = 0
		return &budget{Budget: taint.NewBudget(n.Policy, nil, func(string) bool { return false }), breaker: n.Out.Breaker.Input}
	}
	const want = "not tainted: 0 of 0 nodes of the cluster are quarantined or convicted, and the operator allows 0"
	h := hand.New(t, nodeOf("a"))
	w, n := acting(t, h, judgement(v1alpha1.VerdictFail, begin), nil)
	w.budget, n.Live = spent(n), nil // which would panic
	if err := n.all(t.Context()); err != nil || !strings.HasPrefix(n.note, want) {
		t.Errorf("note %q, error %v", n.note, err)
	}
	h = hand.New(t, tainted(quarantined(begin.Add(-time.Hour))), quarantined(begin.Add(-time.Hour)))
	w, n = acting(t, h, judgement(v1alpha1.VerdictFail, begin), h.Validation(t))
	w.budget = spent(n)
	if err := n.all(t.Context()); err != nil || n.note != "" {
		t.Errorf("a node that is tainted: note %q, error %v", n.note, err)
	}
}

// convictedBy is what is known of a node that a run convicted and did not taint.
func convictedBy(run, node string, at time.Time) *v1alpha1.NodeValidation {
	j := deedOf(v1alpha1.VerdictFail, node, run, at).j
	j.Taint = nil
	v := taint.Labelled(j.Next(taint.Current{Node: nodeOf(node)}).Validation, node)
	v.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: node, UID: types.UID("uid-" + node)}}
	return v
}

// TestAConvictionWithoutATaintCounts: condition and label take a node out of service as well, wherever something acts on them.
func TestAConvictionWithoutATaintCounts(t *testing.T) {
	for sentence, tainting := range map[string]bool{"the run taints": true, "the run taints nobody": false} {
		for what, limit := range map[string]int{"spent": 1, "not spent": 2} {
			t.Run(sentence+", the budget is "+what, func(t *testing.T) {
				h := hand.New(t, nodeOf("a"), nodeOf("b"), convictedBy("other", "b", begin.Add(-time.Hour)))
				j := judgement(v1alpha1.VerdictFail, begin)
				if !tainting {
					j.Taint = nil
				}
				w, n := acting(t, h, j, nil)
				n.Policy.MaxNodes, w.Nodes = limit, append(w.Nodes, nodeOf("b"))
				if !tainting {
					w.Out.Breaker.Input.Limit = taint.NoTaint
				}
				if err := n.all(t.Context()); err != nil {
					t.Fatal(err)
				}
				told := strings.Contains(strings.Join(h.Writes, "\n"), "apply status of Node")
				if got := len(h.Validation(t).Convictions); got != limit-1 || len(h.Taints(t)) > got || told != (limit == 2) {
					t.Errorf("%d convictions, taints %v, told: %v, note %q", got, h.Taints(t), told, n.note)
				}
				if limit == 1 && !strings.Contains(n.note, "1 of 2 nodes of the cluster are quarantined or convicted, and the operator allows 1") {
					t.Errorf("its note is %q", n.note)
				}
			})
		}
	}
}

// TestWhoCannotBeCountedMayTakeTheRoom: whether the other node carries its taint, nobody can read.
func TestWhoCannotBeCountedMayTakeTheRoom(t *testing.T) {
	other := taint.Labelled(quarantined(begin), "b")
	other.Fingerprint.NodeUID = "uid-b"
	h := hand.New(t, nodeOf("a"), nodeOf("b"), other)
	w, n := acting(t, h, judgement(v1alpha1.VerdictFail, begin), nil)
	w.Nodes = append(w.Nodes, nodeOf("b"))
	w.announcements.Set(taint.MarkOf(other.Quarantine), announcement{seen: true})
	h.Unread = func(kind string) error {
		if kind == "Node" {
			return hand.ErrDown
		}
		return nil
	}
	_ = n.all(t.Context())
	if h.Unread = nil; !errors.Is(n.err, hand.ErrDown) || len(h.Taints(t)) > 0 || len(h.Writes) > 0 {
		t.Errorf("error %v, taints %v, after %q", n.err, h.Taints(t), h.Writes)
	}
}

// TestRunsOfOneNodeMeetTheBreaker: what three runs of one node each fail alike is one fault of the measurement, until as many nodes pass.
func TestRunsOfOneNodeMeetTheBreaker(t *testing.T) {
	h := hand.New(t, nodeOf("a"), nodeOf("b"), nodeOf("c"), convictedBy("one", "b", begin.Add(-time.Hour)), convictedBy("two", "c", begin.Add(-2*time.Hour)))
	w, n := acting(t, h, judgement(v1alpha1.VerdictFail, begin), nil)
	w.Nodes = append(w.Nodes, nodeOf("b"), nodeOf("c"))
	w.Out.Breaker.Input.Judged[0].Failures = []string{"stream/triad/Min"}
	if err := n.all(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v := h.Validation(t); len(v.Convictions) > 0 || v.Quarantine != nil || len(h.Taints(t)) > 0 {
		t.Errorf("it is convicted of %v, and carries %v", v.Convictions, h.Taints(t))
	}
	if want := "not tainted: 3 nodes failed alike (stream/triad/Min) in different runs of the last 7 days, and 0 passed"; !strings.HasPrefix(n.note, want) {
		t.Errorf("its note is %q, want %q", n.note, want)
	}
}

// TestAnOldAnnouncementIsMadeAnew: a leader could not write its taint for two minutes, after which another one no longer counts what was announced.
// Before it tries again it announces anew, so that the other one sees it coming.
func TestAnOldAnnouncementIsMadeAnew(t *testing.T) {
	h := hand.New(t, nodeOf("a"), nodeOf("b"))
	clock := testclock.NewFakePassiveClock(begin)
	leader := func(name string) func() error {
		d := deedOf(v1alpha1.VerdictFail, name, "run-uid", begin)
		r := keeperOf(h)
		r.Clock, r.Policy.MaxNodes = clock, 1
		return func() error {
			node, known := &corev1.Node{}, &v1alpha1.NodeValidation{}
			if err := h.Get(t.Context(), client.ObjectKey{Name: name}, node); err != nil {
				return err
			}
			if h.Get(t.Context(), client.ObjectKey{Name: name}, known) != nil {
				known = nil
			}
			w := passOf(t, r, startedRun(), nodeOf("a"), nodeOf("b"))
			w.Out.Breaker.Input = taint.BreakerInput{Nodes: 1, Judged: []taint.JudgedNode{{Name: name, Verdict: v1alpha1.VerdictFail}}, Limit: 5}
			return actOn(t, w, judged(node, known, d.j))
		}
	}
	first, second := leader("a"), leader("b")
	h.Refuse = hand.Refusing("patch Node a", 1, hand.ErrDown)
	if first() == nil {
		t.Error("the taint was written")
	}
	if err := second(); err != nil {
		t.Fatal(err)
	}
	clock.SetTime(begin.Add(announced))
	most := 0
	h.Refuse = func(write string) error {
		if write == "patch Node a" { // the other leader makes a pass while this one is about to write
			h.Refuse = func(string) error { return nil }
			if err := second(); err != nil {
				t.Error(err)
			}
			b := &corev1.Node{}
			if err := h.Get(t.Context(), client.ObjectKey{Name: "b"}, b); err != nil {
				t.Error(err)
			}
			most = 1 + len(b.Spec.Taints)
		}
		return nil
	}
	if err := first(); err != nil {
		t.Error(err)
	}
	if most != 1 || len(h.Taints(t)) != 1 {
		t.Errorf("%d nodes carried the taint at once, and one may; a carries %v at the end", most, h.Taints(t))
	}
}
