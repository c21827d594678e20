package quarantine

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/test/hand"
)

// TestAStrayIsMendedWithNoRunActive: a leader stopped between record and node, and no run will ever look at the node again.
func TestAStrayIsMendedWithNoRunActive(t *testing.T) {
	before := quarantined(begin.Add(-time.Hour))
	another := quarantined(begin)
	free := before.DeepCopy()
	free.Quarantine, free.Convictions = nil, nil
	unmarked := tainted(before)
	unmarked.Annotations = nil
	changed := unmarked.DeepCopy()
	changed.Spec.Taints[0].Value = "theirs"
	others := before.DeepCopy()
	others.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "a", UID: "another"}}
	nonsense := tainted(before)
	nonsense.Annotations[v1alpha1.AnnotationQuarantine] = "mine"
	for sentence, c := range map[string]struct {
		node   *corev1.Node
		record *v1alpha1.NodeValidation
		taints int
		mark   string
		writes int
	}{
		"its record explains it":              {tainted(before), before, 1, taint.MarkOf(before.Quarantine), 0},
		"its record was cleared":              {tainted(before), free, 0, "", 1},
		"its record is gone":                  {tainted(before), nil, 0, "", 1},
		"its record wants it, by another one": {tainted(before), another, 1, taint.MarkOf(another.Quarantine), 1},
		"a person's, without a mark":          {unmarked, free, 1, "", 0},
		"its mark is gone":                    {unmarked, before, 1, taint.MarkOf(before.Quarantine), 1},
		"somebody has written its mark":       {nonsense, before, 1, taint.MarkOf(before.Quarantine), 1},
		"no mark, and another value":          {changed, before, 1, "", 0},
		"no mark, and another node's record":  {unmarked, others, 1, "", 0},
	} {
		t.Run(sentence, func(t *testing.T) {
			objects := []client.Object{c.node.DeepCopy()}
			if c.record != nil {
				objects = []client.Object{calledUnfit(c.node, len(c.record.Convictions) > 0), c.record.DeepCopy()}
			}
			h := hand.New(t, objects...)
			r := keeperOf(h)
			for range 2 {
				if _, err := r.mendStray(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Name: "a"}}); err != nil {
					t.Fatal(err)
				}
			}
			node := &corev1.Node{}
			if err := h.Get(t.Context(), client.ObjectKey{Name: "a"}, node); err != nil {
				t.Fatal(err)
			}
			if len(node.Spec.Taints) != c.taints || taint.MarkOn(node) != c.mark || len(h.Writes) != c.writes {
				t.Errorf("it carries %v with mark %q after %q", node.Spec.Taints, taint.MarkOn(node), h.Writes)
			}
			adopted := taint.MarkOn(c.node) == "" && c.mark != ""
			if told := h.Told(); (len(told) == 1) != (c.taints == 0 || adopted) {
				t.Errorf("events %q", told)
			}
		})
	}
}

// calledUnfit is a node with the condition that says so, or without one.
func calledUnfit(node *corev1.Node, unfit bool) *corev1.Node {
	node = node.DeepCopy()
	if unfit {
		node.Labels = map[string]string{v1alpha1.LabelVerdict: "failed"}
		node.Status.Conditions = []corev1.NodeCondition{{Type: v1alpha1.NodeConditionValidated, Status: corev1.ConditionFalse}}
	}
	return node
}

// TestANodeSaysWhatItsRecordDoes: whoever looks after it says it, where the run that wrote the record has stopped, or another one, or somebody else, spoke later.
// Where it says so in other words, or nothing is known of it, it is left.
func TestANodeSaysWhatItsRecordDoes(t *testing.T) {
	convicted := quarantined(begin.Add(-time.Hour))
	passed := convicted.DeepCopy()
	passed.Quarantine, passed.Convictions = nil, nil
	passed.Proof = &v1alpha1.Proof{Verdict: v1alpha1.VerdictPass, Run: v1alpha1.ObjectReference{Name: "p", UID: "p"}}
	failed := passed.DeepCopy()
	failed.Proof.Verdict = v1alpha1.VerdictFail
	another := passed.DeepCopy()
	another.Fingerprint.NodeUID = "another"
	old, anew := passed.DeepCopy(), passed.DeepCopy()
	old.Proof, old.Verdict, anew.Proof, anew.Verdict = nil, v1alpha1.VerdictPass, nil, v1alpha1.VerdictError
	announced := convicted.DeepCopy()
	announced.Quarantine.ID = "another"
	for sentence, c := range map[string]struct {
		record *v1alpha1.NodeValidation
		said   corev1.ConditionStatus
		want   string
	}{
		"it is convicted, and was never told":        {convicted, "", "False/BelowExpectation"},
		"it is convicted, and called fit":            {convicted, corev1.ConditionTrue, "False/BelowExpectation"},
		"it is convicted, and somebody said Maybe":   {convicted, "Maybe", "False/BelowExpectation"},
		"it is convicted, and called unfit":          {convicted, corev1.ConditionFalse, ""},
		"it passed, and was never told":              {passed, "", "True/Passed"},
		"it passed, and is called unfit":             {passed, corev1.ConditionFalse, "True/Passed"},
		"it passed, and is called fit":               {passed, corev1.ConditionTrue, ""},
		"nothing convicts it, and it is called so":   {failed, corev1.ConditionFalse, "Unknown/Inconclusive"},
		"nothing convicts it, and it is called fit":  {failed, corev1.ConditionTrue, ""},
		"nothing convicts it, and it was never told": {failed, "", ""},
		"it passed before there were proofs":         {old, corev1.ConditionFalse, ""},
		"its record was deleted, and a run erred":    {anew, corev1.ConditionFalse, "Unknown/Inconclusive"},
		"it is the record of another machine":        {another, corev1.ConditionFalse, ""},
		"its taint is announced":                     {announced, corev1.ConditionTrue, ""},
		"it is convicted, and its label is stripped": {convicted, "False without a label", "False/BelowExpectation"},
		"it passed, and its label is stripped":       {passed, "True without a label", "True/Passed"},
	} {
		t.Run(sentence, func(t *testing.T) {
			node := nodeOf("a")
			if c.record == convicted {
				node = tainted(c.record)
			}
			node.Status.Conditions = nil
			said, stripped := strings.CutSuffix(string(c.said), " without a label")
			if said != "" {
				node.Status.Conditions = []corev1.NodeCondition{{Type: v1alpha1.NodeConditionValidated, Status: corev1.ConditionStatus(said)}}
			}
			if label := map[string]string{"True": "passed", "False": "failed"}[said]; !stripped {
				node.Labels = map[string]string{v1alpha1.LabelVerdict: label}
			}
			cluster := clusterOf(false)
			cluster.nodes["a"], cluster.records["a"] = node, c.record
			r := (&process{store: cluster, turn: func() error { return nil }, speaks: true}).keeper(taint.Policy{MaxPercent: 100})
			if _, err := r.mendStray(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Name: "a"}}); err != nil {
				t.Fatal(err)
			}
			is := cluster.nodes["a"].Status.Conditions
			switch {
			case c.want == "" && (len(is) > 1 || len(is) == 1 && (is[0].Status != c.said || is[0].Reason != "")):
				t.Errorf("it says %+v", is)
			case c.want != "" && (len(is) != 1 || string(is[0].Status)+"/"+is[0].Reason != c.want || is[0].Message == ""):
				t.Errorf("it says %+v, want %s", is, c.want)
			}
		})
	}
}

// TestATaintOfBeforeThereWereMarksIsAdopted: its record has no id, and gets one before the node is marked by it. From then on the taint counts, and
// a pass lifts it.
func TestATaintOfBeforeThereWereMarksIsAdopted(t *testing.T) {
	old := quarantined(begin.Add(-time.Hour))
	node := tainted(old)
	node.Annotations, old.Quarantine.ID, old.Annotations, old.Labels = nil, "", nil, map[string]string{v1alpha1.LabelQuarantined: "true"}
	h := hand.New(t, calledUnfit(node, true), old)
	r := keeperOf(h)
	if _, err := r.mendStray(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Name: "a"}}); err != nil {
		t.Fatal(err)
	}
	v := h.Validation(t)
	if want := []string{"update NodeValidation a", "patch Node a"}; !slices.Equal(want, h.Writes) || v.Quarantine.ID == "" ||
		v.Labels[v1alpha1.LabelConvicted] == "" || v.Annotations[v1alpha1.AnnotationQuarantine] != taint.MarkOf(v.Quarantine) {
		t.Errorf("writes %q, record %+v, %v, %v", h.Writes, v.Quarantine, v.Labels, v.Annotations)
	}
	_, n := acting(t, h, judgement(v1alpha1.VerdictPass, begin), v)
	if !n.current.Tainted() || taint.MarkOn(n.current.Node) != taint.MarkOf(v.Quarantine) {
		t.Errorf("node a carries %v, mark %q", n.current.Node.Spec.Taints, taint.MarkOn(n.current.Node))
	}
	if err := n.all(t.Context()); err != nil || len(h.Taints(t)) > 0 {
		t.Errorf("error %v; after a pass it carries %v", err, h.Taints(t))
	}
}

// TestATaintWithoutItsMarkIsLifted: something removed the mark, and the node passes before anybody has mended it. One taint is counted, and none added.
func TestATaintWithoutItsMarkIsLifted(t *testing.T) {
	for verdict, want := range map[v1alpha1.Verdict]int{v1alpha1.VerdictPass: 0, v1alpha1.VerdictFail: 1} {
		node := tainted(quarantined(begin.Add(-time.Hour)))
		node.Annotations = nil
		h := hand.New(t, node, quarantined(begin.Add(-time.Hour)))
		w, n := acting(t, h, judgement(verdict, begin), h.Validation(t))
		if err := actOn(t, w, judged(n.current.Node, h.Validation(t), n.judgement)); err != nil {
			t.Fatal(err)
		}
		got := &corev1.Node{}
		if err := h.Get(t.Context(), client.ObjectKey{Name: "a"}, got); err != nil {
			t.Fatal(err)
		}
		if q := quarantineOf(h.Validation(t)); len(got.Spec.Taints) != want || taint.IsStray(got, q) || (q == nil) != (want == 0) {
			t.Errorf("%s: it carries %v with mark %q, quarantine %v", verdict, got.Spec.Taints, taint.MarkOn(got), q)
		}
	}
}

// TestSomethingStripsEveryMark: the taint stays and counts, nobody adds or lifts one, and it is told.
func TestSomethingStripsEveryMark(t *testing.T) {
	h := hand.New(t, nodeOf("a"))
	_, n := acting(t, h, judgement(v1alpha1.VerdictFail, begin), nil)
	n.Client = strips{n.Client}
	if err := n.all(t.Context()); err == nil || !strings.Contains(err.Error(), "without the annotation assay.dev/quarantine") {
		t.Errorf("error %v", err)
	}
	if v := h.Validation(t); len(h.Taints(t)) != 1 || v.Quarantine == nil {
		t.Errorf("it carries %v, quarantine %v", h.Taints(t), v.Quarantine)
	}
	writes := len(h.Writes)
	if _, err := n.mendStray(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Name: "a"}}); err == nil || len(h.Taints(t)) != 1 {
		t.Errorf("error %v, taints %v, writes %q", err, h.Taints(t), h.Writes[writes:])
	}
}

// strips what Assay annotates, as a webhook may.
type strips struct{ client.Client }

func (s strips) Patch(ctx context.Context, o client.Object, p client.Patch, opts ...client.PatchOption) error {
	if err := s.Client.Patch(ctx, o, p, opts...); err != nil {
		return err
	}
	o.SetAnnotations(nil)
	return s.Client.Update(ctx, o)
}

// TestAKindThatIsGoneLiftsNothing: where NodeValidations are not served for a moment, no record is known to be gone.
func TestAKindThatIsGoneLiftsNothing(t *testing.T) {
	h := hand.New(t, tainted(quarantined(begin)))
	r := keeperOf(h)
	r.Live = unserved{h}
	if _, err := r.mend(t.Context(), "a"); err == nil || len(h.Taints(t)) != 1 {
		t.Errorf("error %v, taints %v", err, h.Taints(t))
	}
}

type unserved struct{ client.Reader }

func (u unserved) Get(ctx context.Context, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
	if _, is := o.(*v1alpha1.NodeValidation); !is {
		return u.Reader.Get(ctx, key, o, opts...)
	}
	err := apierrors.NewNotFound(resources, key.Name)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeUnexpectedServerResponse}}
	return err
}

// TestWhatWakesMending: the start of the operator and what changes record or mark, and nothing else of ten thousand nodes.
func TestWhatWakesMending(t *testing.T) {
	record := quarantined(begin)
	free := record.DeepCopy()
	free.Quarantine = nil
	h := hand.New(t, tainted(record), nodeOf("b"))
	handler := keeperOf(h).strays()
	heartbeat := tainted(record)
	heartbeat.Status.Conditions = nil
	another := tainted(record)
	another.UID = "another"
	said := func(condition corev1.ConditionStatus, label string) *corev1.Node {
		n := nodeOf("a")
		n.Labels = map[string]string{v1alpha1.LabelVerdict: label}
		n.Status.Conditions = []corev1.NodeCondition{{Type: v1alpha1.NodeConditionValidated, Status: condition}}
		return n
	}
	convicted, passed := free, free.DeepCopy()
	passed.Convictions = nil
	passed.Proof.Verdict = v1alpha1.VerdictPass
	words := keeperOf(hand.New(t, said(corev1.ConditionTrue, "passed"), convicted)).strays()
	for sentence, c := range map[string]struct {
		do   func(controllers.Queue)
		want int
	}{
		"the start, of a node that has a mark": {func(q controllers.Queue) { handler.Create(t.Context(), event.CreateEvent{Object: tainted(record)}, q) }, 1},
		"the start, of one that has none":      {func(q controllers.Queue) { handler.Create(t.Context(), event.CreateEvent{Object: nodeOf("b")}, q) }, 0},
		"a record is cleared": {func(q controllers.Queue) {
			handler.Update(t.Context(), event.UpdateEvent{ObjectOld: record, ObjectNew: free}, q)
		}, 1},
		"a record is deleted": {func(q controllers.Queue) { handler.Delete(t.Context(), event.DeleteEvent{Object: record}, q) }, 1},
		"a mark is removed": {func(q controllers.Queue) {
			handler.Update(t.Context(), event.UpdateEvent{ObjectOld: tainted(record), ObjectNew: nodeOf("a", tainted(record).Spec.Taints...)}, q)
		}, 1},
		"a node is called fit although a record convicts it": {func(q controllers.Queue) {
			words.Update(t.Context(), event.UpdateEvent{ObjectOld: said(corev1.ConditionFalse, "failed"), ObjectNew: said(corev1.ConditionTrue, "failed")}, q)
		}, 1},
		"a node is labelled fit although a record convicts it": {func(q controllers.Queue) {
			words.Update(t.Context(), event.UpdateEvent{ObjectOld: said(corev1.ConditionFalse, "failed"), ObjectNew: said(corev1.ConditionFalse, "passed")}, q)
		}, 1},
		"a run passes a node that was called unfit": {func(q controllers.Queue) {
			words.Update(t.Context(), event.UpdateEvent{ObjectOld: convicted, ObjectNew: passed}, q)
		}, 1},
		"a run passes a node once more": {func(q controllers.Queue) {
			words.Update(t.Context(), event.UpdateEvent{ObjectOld: passed, ObjectNew: passed.DeepCopy()}, q)
		}, 0},
		"another node comes under its name, with its mark": {func(q controllers.Queue) {
			handler.Update(t.Context(), event.UpdateEvent{ObjectOld: tainted(record), ObjectNew: another}, q)
		}, 1},
		"a heartbeat": {func(q controllers.Queue) {
			handler.Update(t.Context(), event.UpdateEvent{ObjectOld: tainted(record), ObjectNew: heartbeat}, q)
		}, 0},
	} {
		t.Run(sentence, func(t *testing.T) {
			q := &delayed{TypedRateLimitingInterface: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())}
			c.do(q)
			if len(q.added) != c.want || slices.ContainsFunc(q.added, func(r reconcile.Request) bool { return !strings.HasPrefix(r.Name, "a") }) {
				t.Errorf("woken for %v", q.added)
			}
		})
	}
}

type delayed struct {
	workqueue.TypedRateLimitingInterface[reconcile.Request]
	added []reconcile.Request
}

func (d *delayed) AddAfter(r reconcile.Request, _ time.Duration) { d.added = append(d.added, r) }

// TestATaintOfBeforeThereWereMarksCounts before anybody has adopted it: its record has neither the label nor the annotation by which unfit nodes
// are listed, and the first pass of a new release comes before the mending.
func TestATaintOfBeforeThereWereMarksCounts(t *testing.T) {
	for sentence, stored := range map[string]bool{"as the older release wrote it": false, "stored since by a run": true} {
		t.Run(sentence, func(t *testing.T) {
			old := deedOf(v1alpha1.VerdictFail, "b", "before", begin.Add(-time.Hour)).j
			v := old.Announced(old.Quarantine(taint.Current{Node: nodeOf("b")}, func(corev1.Taint) bool { return true }), "")
			if stored {
				v = taint.Labelled(v, "b")
			} else {
				v.Labels = map[string]string{v1alpha1.LabelQuarantined: "true"}
			}
			h := hand.New(t, nodeOf("a"), nodeOf("b", unfit), v)
			w, n := acting(t, h, judgement(v1alpha1.VerdictFail, begin), nil)
			clock := testclock.NewFakePassiveClock(begin)
			w.Clock, n.Policy.MaxNodes, w.Nodes = clock, 1, append(w.Nodes, nodeOf("b", unfit))
			var err error
			if w.Quarantined, err = w.ListQuarantined(t.Context()); err != nil {
				t.Fatal(err)
			}
			var known *v1alpha1.NodeValidation
			for range 2 {
				if err := actOn(t, w, judged(n.current.Node, known, n.judgement)); err != nil {
					t.Fatal(err)
				}
				known = h.Validation(t)
				clock.SetTime(begin.Add(announced))
			}
			if taints := h.Taints(t); len(taints) > 0 {
				t.Errorf("a second node is tainted, and one may be: %v", taints)
			}
		})
	}
}
