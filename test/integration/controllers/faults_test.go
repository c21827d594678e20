package controllers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// fault is one way a write can go wrong. dead: no later write of the pass comes through either, as when the operator is
// killed; restart: a new operator, which remembers nothing, goes on.
type fault struct {
	err           error
	applied       bool
	dead, restart bool
}

var faults = map[string]fault{
	"it is killed before the write":       {err: apierrors.NewInternalError(fmt.Errorf("killed")), dead: true, restart: true},
	"it is killed after the write":        {err: apierrors.NewInternalError(fmt.Errorf("killed")), applied: true, dead: true, restart: true},
	"the write fails":                     {err: apierrors.NewInternalError(fmt.Errorf("no leader"))},
	"the write conflicts":                 {err: apierrors.NewConflict(schema.GroupResource{Resource: "things"}, "x", fmt.Errorf("changed"))},
	"the API server has too much to do":   {err: apierrors.NewTooManyRequests("slow down", 1)},
	"the write times out but was applied": {err: apierrors.NewTimeoutError("timed out", 1), applied: true},
}

// reference is a small run with everything in it: two nodes, one of which is slow and tainted.
func reference(t *testing.T) *lab {
	l := newLab(t, 2)
	l.plays = on("a", program{rate: 50})
	l.run(tainting, func(r *v1alpha1.ValidationRun) { r.Spec.Confirmations = new(int32(0)) })
	return l
}

// endState is all that a run leaves, apart from times and versions.
type endState struct {
	Conditions map[string]string
	Summary    v1alpha1.RunSummary
	Pods       int
	Nodes      []string
}

func (l *lab) endState() endState {
	l.t.Helper()
	run := l.get()
	out := endState{Conditions: state(run), Summary: *run.Status.Summary, Pods: len(l.pods())}
	for _, short := range []string{"a", "b"} {
		n, v, r := l.getNode(short), l.validation(short), l.result(short)
		text := fmt.Sprintf("%s: taints %v, label %s, condition %s, remembered %s, %d offences, quarantine %v, history %d, result %s",
			short, taints(n), n.Labels[v1alpha1.LabelVerdict], validated(n), v.Verdict, v.OffenceCount, v.Quarantine != nil,
			len(v.Benchmarks[0].History), r.Verdict)
		for _, a := range r.Benchmarks[0].Attempts {
			text += fmt.Sprintf(", attempt %d %s", a.Number, a.Verdict)
		}
		out.Nodes = append(out.Nodes, text)
	}
	return out
}

var wantEnd = endState{
	Conditions: failed,
	Summary:    v1alpha1.RunSummary{Nodes: 2, Passed: 1, Failed: 1, Tainted: 1},
	Nodes: []string{
		"a: taints [assay.dev/unfit=failed:NoSchedule], label failed, condition False/BelowExpectation, remembered Fail, 1 offences, quarantine true, history 1, result Fail, attempt 1 Pass",
		"b: taints [], label passed, condition True/Passed, remembered Pass, 0 offences, quarantine false, history 1, result Pass, attempt 1 Pass",
	},
}

// TestAnyWriteMayFail: whichever sort of write goes wrong, and however, the run ends in the same state (promise P9); and at no
// moment is a node tainted without a stored fail (P6), or does a node have two pods (P1). Every single write is for test/campaign.
func TestAnyWriteMayFail(t *testing.T) {
	t.Parallel()
	whole := reference(t)
	whole.finish()
	same(t, "the end without any fault", wantEnd, whole.endState())
	writes := whole.hand.count()
	if writes < 12 || writes > 40 {
		t.Errorf("the reference run takes %d writes: %v", writes, whole.hand.writes)
	}
	for sentence, f := range faults {
		for w, k := range firstOfEach(whole.hand.writes) {
			t.Run(fmt.Sprintf("%s %d, %s", sentence, k, w), func(t *testing.T) {
				t.Parallel()
				l := reference(t)
				l.suffer(f, k)
				l.finish()
				same(t, "the end", wantEnd, l.endState())
				if t.Failed() {
					t.Logf("the writes: %v", l.hand.writes)
				}
			})
		}
	}
}

// firstOfEach sort of write: its number, from 1 on.
func firstOfEach(writes []write) map[write]int {
	first := map[write]int{}
	for i, w := range writes {
		if _, seen := first[w]; !seen {
			first[w] = i + 1
		}
	}
	return first
}

// TestNoTaintBeforeItsProof: a node whose confirmed failure cannot be stored is not tainted until it can.
func TestNoTaintBeforeItsProof(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	l.plays = on("a", program{rate: 50})
	l.run(tainting)
	failures := 0
	l.hand.before = func(_ int, w write, _ runtime.Object) error {
		if w == "update ValidationResult" && failures < 5 {
			failures++
			return apierrors.NewTooManyRequests("slow down", 1)
		}
		return nil
	}
	l.hand.after = func(_ int, w write, o runtime.Object) error { l.checkPromises(w, o); return nil }
	l.tolerate = func(error) bool { return true }
	l.finish()
	same(t, "refused writes", 5, failures)
	same(t, "node a", unfit, l.standing("a"))
}

// TestARunIsNotOverBeforeItsTaint: a run whose taint is refused for a while goes on, says what it tries, and is over with the taint.
func TestARunIsNotOverBeforeItsTaint(t *testing.T) {
	t.Parallel()
	l := reference(t)
	failures := 0
	l.hand.before = func(_ int, w write, _ runtime.Object) error {
		if w == "patch Node" && failures < 8 {
			failures++
			return apierrors.NewTooManyRequests("slow down", 1)
		}
		return nil
	}
	l.tolerate = func(error) bool { return true }
	l.until("the taint was refused again and again", func() bool { return failures == 8 })
	contains(t, "what it says meanwhile", finishedMessage(l.get()), "trying again: ", "tainting: slow down")
	l.finish()
	same(t, "the end", wantEnd, l.endState())
}

// suffer makes the k-th write go wrong.
func (l *lab) suffer(f fault, k int) {
	dead := false
	l.hand.before = func(number int, _ write, _ runtime.Object) error {
		switch {
		case number == k && !f.applied:
			dead = f.dead
			return f.err
		case dead && number > k:
			return f.err
		}
		return nil
	}
	l.hand.after = func(number int, w write, o runtime.Object) error {
		l.checkPromises(w, o)
		if number == k && f.applied {
			dead = f.dead
			return f.err
		}
		return nil
	}
	l.tolerate = func(error) bool {
		dead = false
		if f.restart {
			l.restart()
		}
		return true
	}
}

// checkPromises looks at the cluster right after a write.
func (l *lab) checkPromises(w write, o runtime.Object) {
	switch w {
	case "delete Pod":
		pod := o.(*corev1.Pod)
		short := strings.TrimPrefix(pod.Annotations[v1alpha1.AnnotationNode], l.nodes+"-")
		stored := func(a v1alpha1.Attempt) bool { return a.PodUID == pod.UID }
		if r := l.result(short); pod.Status.Phase == corev1.PodSucceeded && (r == nil || !slices.ContainsFunc(r.Benchmarks[0].Attempts, stored)) {
			l.t.Errorf("pod %s is deleted, and what it measured is not stored", pod.Name)
		}
	case "create Pod":
		seen := map[string]bool{}
		for _, p := range l.pods() {
			node := p.Annotations[v1alpha1.AnnotationNode]
			if seen[node] {
				l.t.Errorf("node %s has two pods", node)
			}
			seen[node] = true
		}
	case "patch Node":
		for _, short := range []string{"a", "b"} {
			n := l.getNode(short)
			tainted := strings.Contains(fmt.Sprint(taints(n)), v1alpha1.DefaultTaintKey)
			if r := l.result(short); tainted && (r == nil || r.Verdict != v1alpha1.VerdictFail || r.Node.UID != n.UID) {
				l.t.Errorf("node %s is tainted without a stored fail", n.Name)
			}
			if v := l.validation(short); tainted && (v == nil || v.Quarantine == nil) {
				l.t.Errorf("node %s is tainted, and nothing tells who did it", n.Name)
			}
		}
	}
}

// TestRunDeletedWhileWritesFail: a run that is deleted leaves nothing, even if every other write fails.
func TestRunDeletedWhileWritesFail(t *testing.T) {
	t.Parallel()
	l := reference(t)
	l.until("running", func() bool { return l.anyPod(corev1.PodRunning) })
	l.hand.before = func(number int, _ write, _ runtime.Object) error {
		if number%2 == 0 {
			return apierrors.NewTooManyRequests("slow down", 1)
		}
		return nil
	}
	l.tolerate = func(error) bool { return true }
	l.must(api.Delete(t.Context(), l.get()))
	l.until("gone", l.gone)
	same(t, "the pods left", 0, len(l.pods()))
}
