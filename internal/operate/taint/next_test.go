package taint

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
)

var (
	now   = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	unfit = corev1.Taint{Key: "assay.dev/unfit", Value: "run", Effect: corev1.TaintEffectNoSchedule}
)

// failed is a run's judgement that a node misses a bound; passed, that it holds it.
func failed() Judgement { return judged(v1alpha1.VerdictFail, now) }
func passed() Judgement { return judged(v1alpha1.VerdictPass, now) }

func judged(v v1alpha1.Verdict, measured time.Time) Judgement {
	attempt := v1alpha1.Attempt{Number: 1, Verdict: v1alpha1.VerdictPass, LaunchTime: &metav1.Time{Time: measured}, EndTime: &metav1.Time{Time: measured},
		Configuration: "c"}
	r := &v1alpha1.ValidationResult{Verdict: v, Benchmarks: []v1alpha1.BenchmarkResult{{Name: "stream", Verdict: v, Attempts: []v1alpha1.Attempt{attempt}}}}
	b := Benchmark{Name: "stream", Verdict: v}
	broken := term.Term{Metric: "triad", Rule: "Min", RuleNumbers: v1alpha1.RuleNumbers{Limit: "9", Value: "8", Bound: "9", Parts: 1}}
	if v == v1alpha1.VerdictFail {
		b.Terms.Broken = []term.Term{broken}
	} else {
		broken.Value, broken.Bound = "10", ""
		b.Terms.Held = []term.Term{broken}
	}
	return Judgement{Run: v1alpha1.ObjectReference{Name: "run", UID: "run-uid"}, Result: r, Verdict: v, Reason: "Reason", Message: "message", Time: now,
		Benchmarks: []Benchmark{b}, Taint: &unfit}
}

func node(taints ...corev1.Taint) *corev1.Node {
	n := &corev1.Node{}
	n.Name, n.UID, n.Spec.Taints = "a", "uid", taints
	return n
}

// quarantined is a node that another run tainted an hour ago.
func quarantined(t *testing.T) Current {
	t.Helper()
	j := judged(v1alpha1.VerdictFail, now.Add(-time.Hour))
	j.Run = v1alpha1.ObjectReference{Name: "before", UID: "before"}
	next := j.Quarantine(Current{Node: node()}, everything)
	if next.Action != AddTaint {
		t.Fatalf("a node that failed is not tainted, but %s", next.Action)
	}
	announced := j.Announced(next, "id")
	tainted, _ := Bind(node(), announced.Quarantine)
	return Current{Node: tainted, Validation: announced}
}

func everything(corev1.Taint) bool { return true }

func TestNext(t *testing.T) {
	with := func(j Judgement, change func(*Judgement)) Judgement { change(&j); return j }
	open := func(j *Judgement) { j.BreakerOpen = true }
	fresh := func(*testing.T) Current { return Current{Node: node()} }
	for sentence, c := range map[string]struct {
		judgement Judgement
		current   func(*testing.T) Current
		want      Action
		// said of it then, if it has said nothing before.
		said v1alpha1.Verdict
	}{
		"it passed":                                     {passed(), fresh, Record, v1alpha1.VerdictPass},
		"it failed":                                     {failed(), fresh, AddTaint, ""},
		"it failed, and the run taints nobody":          {with(failed(), func(j *Judgement) { j.Taint = nil }), fresh, Record, v1alpha1.VerdictFail},
		"it failed, and the breaker is open":            {with(failed(), open), fresh, Record, ""},
		"it failed again":                               {failed(), quarantined, AddTaint, ""},
		"it failed again, and the breaker is open":      {with(failed(), open), quarantined, AddTaint, ""},
		"it passed what it was convicted of":            {passed(), quarantined, Lift, ""},
		"it passed, and the breaker is open":            {with(passed(), open), quarantined, Lift, ""},
		"it passed before it was convicted":             {judged(v1alpha1.VerdictPass, now.Add(-2*time.Hour)), quarantined, Record, ""},
		"it failed before it was convicted":             {judged(v1alpha1.VerdictFail, now.Add(-2*time.Hour)), quarantined, Record, ""},
		"nothing could judge it, and it is still unfit": {judged(v1alpha1.VerdictInconclusive, now), quarantined, Record, ""},
		"it could not be measured, and is still unfit":  {judged(v1alpha1.VerdictError, now), quarantined, Record, ""},
	} {
		t.Run(sentence, func(t *testing.T) {
			next := c.judgement.Next(c.current(t))
			if next.Action != c.want {
				t.Errorf("it is to %s, want %s (convictions %v)", next.Action, c.want, next.Validation.Convictions)
			}
			if w, _ := c.judgement.Says(Current{Node: node(), Validation: next.Validation}); c.want == Record && w.Verdict != c.said {
				t.Errorf("it says %+v, want %s", w, c.said)
			}
		})
	}
}

// TestQuarantine: what a node carries at the moment of the write decides whether it is tainted, and with what.
func TestQuarantine(t *testing.T) {
	foreign := unfit
	foreign.Value = "somebody"
	nothing := func(corev1.Taint) bool { return false }
	other := corev1.Taint{Key: "example.com/bad", Effect: corev1.TaintEffectNoSchedule}
	for sentence, c := range map[string]struct {
		current func(*testing.T) Current
		change  func(*Judgement)
		allowed func(corev1.Taint) bool
		want    Action
		taint   *corev1.Taint
		note    string
	}{
		"it carries nothing":  {func(*testing.T) Current { return Current{Node: node()} }, nil, everything, AddTaint, &unfit, ""},
		"it carries the same": {quarantined, nil, everything, Record, nil, ""},
		"it carries one of ours that is not allowed any more": {quarantined, func(j *Judgement) { j.Taint = &other }, nothing, Record, nil, ""},
		"it carries one of nobody": {func(*testing.T) Current { return Current{Node: node(foreign)} }, nil, everything, Record, nil,
			"not tainted: the node carries a taint assay.dev/unfit:NoSchedule that no record of Assay explains, so it stays as it is"},
		"the run's taint is not allowed any more": {func(*testing.T) Current { return Current{Node: node()} },
			func(j *Judgement) { j.TaintRefused = "the key is not allowed" }, everything, Record, nil, "not tainted: the key is not allowed"},
	} {
		t.Run(sentence, func(t *testing.T) {
			j := failed()
			if c.change != nil {
				c.change(&j)
			}
			next := j.Quarantine(c.current(t), c.allowed)
			if next.Action != c.want || next.Note != c.note {
				t.Errorf("it is to %s with note %q, want %s with %q", next.Action, next.Note, c.want, c.note)
			}
			if diff := cmp.Diff(c.taint, next.Taint); diff != "" {
				t.Errorf("another taint (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRenounced: an announcement that never became a taint leaves nothing of this run, and all of others.
func TestRenounced(t *testing.T) {
	j := failed()
	announced := j.Announced(j.Quarantine(Current{Node: node()}, everything), "id")
	if q := announced.Quarantine; q == nil || q.Run.UID != "run-uid" || len(announced.Convictions) != 1 {
		t.Fatalf("announced %+v with convictions %v", q, announced.Convictions)
	}
	if v := j.Renounced(announced, announced.Convictions); v.Quarantine != nil || v.Convictions != nil {
		t.Errorf("after it is renounced: %+v, %v", v.Quarantine, v.Convictions)
	}
	announced.Convictions[0].Again = true
	if v := j.Renounced(announced, announced.Convictions); v.Quarantine != nil || len(v.Convictions) != 1 {
		t.Errorf("what another run had convicted the node of before is gone: %+v, %v", v.Quarantine, v.Convictions)
	}
	before := quarantined(t).Validation
	if v := j.Renounced(before, before.Convictions); v.Quarantine == nil || len(v.Convictions) != 1 {
		t.Errorf("what another run announced is gone: %+v, %v", v.Quarantine, v.Convictions)
	}
}

// TestAQuarantineThatNeverCame: what was announced for the node as a whole, and never written, keeps no run from taking single devices out of service.
func TestAQuarantineThatNeverCame(t *testing.T) {
	j := failed()
	j.Scope, j.Benchmarks[0].Terms.Broken[0].Ats = v1alpha1.TaintScopeDevice, []string{"gpu3"}
	a := &j.Result.Benchmarks[0].Attempts[0]
	for i, uuid := range []string{"GPU-0", "GPU-1", "GPU-2", "GPU-3"} {
		a.Devices = append(a.Devices, v1alpha1.Device{Index: int32(i), UUID: uuid})
	}
	announced := &v1alpha1.NodeValidation{Fingerprint: v1alpha1.Fingerprint{NodeUID: "a"},
		Quarantine: &v1alpha1.Quarantine{ID: "id", Key: unfit.Key, Value: unfit.Value, Effect: unfit.Effect, Run: v1alpha1.ObjectReference{Name: "before", UID: "before"}}}
	next := j.Quarantine(Current{Node: gpus(8, nil), Validation: announced}, everything)
	if next.Action != AddTaint || !slices.Equal(next.Devices, []string{"GPU-3"}) || next.Note != "" {
		t.Errorf("it is to %s of devices %v, %q; want GPU-3 out of service", next.Action, next.Devices, next.Note)
	}
}

// TestWhatThereIsNoRoomFor: a node that is not tainted, as the budgets are spent, is not called unfit any more by what it has proved since.
func TestWhatThereIsNoRoomFor(t *testing.T) {
	c := quarantined(t)
	c.Node, c.Validation.Quarantine = node(), nil
	j := passed()
	j.Verdict, j.Result.Verdict = v1alpha1.VerdictFail, v1alpha1.VerdictFail
	j.Benchmarks = append(j.Benchmarks, Benchmark{Name: "hbm", Verdict: v1alpha1.VerdictFail, Terms: failed().Benchmarks[0].Terms})
	j.Result.Benchmarks = append(j.Result.Benchmarks, failed().Result.Benchmarks[0])
	j.Result.Benchmarks[1].Name = "hbm"
	if next := j.Spent(c, "spent"); next.Note != "spent" || next.Action != Record || len(next.Validation.Convictions) > 0 {
		t.Errorf("it is to %s, %q, and stands convicted of %v", next.Action, next.Note, next.Validation.Convictions)
	}
}

// TestLifted: the last refuted conviction takes the taint with it.
func TestLifted(t *testing.T) {
	next := passed().Lifted(quarantined(t))
	if next.Action != Lift || next.Taint == nil || *next.Taint != unfit || len(next.Refuted) != 1 || next.Validation.Quarantine != nil {
		t.Errorf("it is to %s %v, refuted %v, record %+v", next.Action, next.Taint, next.Refuted, next.Validation.Quarantine)
	}
	again := failed()
	if next := again.Lifted(quarantined(t)); next.Action != Record || len(next.Validation.Convictions) == 0 {
		t.Errorf("a node that failed again is to %s, convicted of %v", next.Action, next.Validation.Convictions)
	}
}
