package run

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/assess"
)

var errDown = errors.New("connection refused")

// refusing makes the API server answer like this to writes that begin with these words, so many times.
func refusing(words string, times int, answer error) func(string) error {
	return func(write string) error {
		if strings.HasPrefix(write, words) && times > 0 {
			times--
			return answer
		}
		return nil
	}
}

func invalid() error {
	return apierrors.NewInvalid(schema.GroupKind{Kind: "ValidationResult"}, "r", nil)
}

func resultOf(name, node string) *v1alpha1.ValidationResult {
	r := &v1alpha1.ValidationResult{ObjectMeta: metav1.ObjectMeta{Name: name}, Run: v1alpha1.ObjectReference{Name: "run", UID: "run-uid"},
		Verdict: v1alpha1.VerdictFail}
	r.Node = v1alpha1.ObjectReference{Name: node, UID: types.UID("uid-" + node)}
	r.Benchmarks = []v1alpha1.BenchmarkResult{{Name: "stream", Verdict: v1alpha1.VerdictFail, Attempts: []v1alpha1.Attempt{{Number: 1, Verdict: v1alpha1.VerdictPass,
		Configuration: "c", LaunchTime: &metav1.Time{Time: begin}}}}}
	return r
}

func podNamed(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "bench", UID: types.UID("uid-" + name)}}
}

// TestNothingIsDeletedBeforeItIsStored: pods and MPIJobs hold the only copy of what was measured until the result does. A namesake of
// another UID is not what was collected.
func TestNothingIsDeletedBeforeItIsStored(t *testing.T) {
	for sentence, c := range map[string]struct {
		refuse func(string) error
		want   []string
	}{
		"the results are stored": {nil, []string{"create ValidationResult g", "create ValidationResult r", "delete uid-p of Pod p", "delete uid-j of MPIJob j", "delete NetworkPolicy j"}},
		"none can be stored":     {refusing("create ValidationResult", 9, errDown), []string{"create ValidationResult g", "create ValidationResult r"}},
	} {
		t.Run(sentence, func(t *testing.T) {
			h := newHand(t, podNamed("p"))
			h.refuse = c.refuse
			w := h.writer(t, startedRun(), nodeOf("a"))
			group := resultOf("g", "")
			w.out.Groups = []assess.ResultWrite{{Result: group}}
			w.out.Nodes = []assess.ResultWrite{{Result: resultOf("r", "a")}}
			w.out.DeletePods = []assess.PodDeletion{{Pod: podNamed("p"), After: "r"}}
			w.out.DeleteJobs = []assess.JobDeletion{{Name: "j", UID: "uid-j", After: "g"}}
			_ = w.act(t.Context())
			if diff := cmp.Diff(c.want, h.writes); diff != "" {
				t.Errorf("other writes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAGroupWhoseResultIsRefusedJudgesNobody: which nodes were judged by what could not be stored is not known, so that nothing follows.
func TestAGroupWhoseResultIsRefusedJudgesNobody(t *testing.T) {
	for sentence, c := range map[string]struct {
		refuse  func(string) error
		want    []string
		refused bool
	}{
		"it is stored": {nil, []string{"create ValidationResult g", "create ValidationResult r"}, false},
		"it is refused, and stored without what is new": {refusing("create ValidationResult g", 1, invalid()),
			[]string{"create ValidationResult g", "create ValidationResult g"}, true},
		"it cannot be stored for now": {refusing("create ValidationResult g", 1, errDown), []string{"create ValidationResult g", "create ValidationResult r"}, false},
	} {
		t.Run(sentence, func(t *testing.T) {
			h := newHand(t)
			h.refuse = c.refuse
			w := h.writer(t, startedRun(), nodeOf("a"))
			w.out.Groups = []assess.ResultWrite{{Result: resultOf("g", "")}}
			w.out.Nodes = []assess.ResultWrite{{Result: resultOf("r", "a")}}
			_ = w.act(t.Context())
			if diff := cmp.Diff(c.want, h.writes); diff != "" {
				t.Errorf("other writes (-want +got):\n%s", diff)
			}
			if w.written.GroupRefused != c.refused {
				t.Errorf("a group is refused: %v, want %v", w.written.GroupRefused, c.refused)
			}
		})
	}
}

// TestARefusedResultConvictsNobody: what could not be stored, nobody can look up.
func TestARefusedResultConvictsNobody(t *testing.T) {
	for sentence, answer := range map[string]error{"refused for good": invalid(), "not stored for now": errDown} {
		t.Run(sentence, func(t *testing.T) {
			h := newHand(t, nodeOf("a"))
			h.refuse = refusing("create ValidationResult", 1, answer)
			w := h.writer(t, startedRun(), nodeOf("a"))
			r := resultOf("r", "a")
			w.out.Nodes = []assess.ResultWrite{{Result: r}}
			w.out.Judged = []assess.JudgedNode{judged(nodeOf("a"), nil, judgement(v1alpha1.VerdictFail, begin))}
			_ = w.act(t.Context())
			for _, write := range h.writes {
				if !strings.HasSuffix(write, "ValidationResult r") {
					t.Errorf("it came to: %s", write)
				}
			}
			found := w.written.Nodes["a"]
			if refused := apierrors.IsInvalid(answer); found.Refused != refused || (found.Unstored == nil) != refused {
				t.Errorf("the pass finds %+v", found)
			}
		})
	}
}

// TestLaunches: what the API server answers to the pod of an attempt.
func TestLaunches(t *testing.T) {
	launch := func(w *writer) string {
		b := &v1alpha1.Benchmark{Spec: v1alpha1.BenchmarkSpec{TimeoutSeconds: 60}}
		b.Name = "stream"
		w.out.LaunchPods = []assess.PodLaunch{{Task: assess.Task{Benchmark: b}, Node: nodeOf("a"), Attempt: 1, Result: "r"}}
		if err := w.act(t.Context()); err != nil {
			return err.Error()
		}
		return ""
	}
	made := func(w *writer) *corev1.Pod {
		launch(w)
		var pods corev1.PodList
		if err := w.List(t.Context(), &pods); err != nil || len(pods.Items) != 1 {
			t.Fatalf("%d pods, error %v", len(pods.Items), err)
		}
		return &pods.Items[0]
	}
	h := newHand(t)
	pod := made(h.writer(t, startedRun(), nodeOf("a")))
	if err := launch(h.writer(t, startedRun(), nodeOf("a"))); err != "" {
		t.Errorf("its own pod, made in a pass before: %s", err)
	}
	other := pod.DeepCopy()
	other.ResourceVersion, other.OwnerReferences = "", nil
	h = newHand(t, other)
	want := "creating pod " + pod.Name + ": somebody else has made one of this name in namespace bench: delete it"
	if err := launch(h.writer(t, startedRun(), nodeOf("a"))); err != want {
		t.Errorf("a pod of somebody else: %q, want %q", err, want)
	}
	if told := h.told(); len(told) != 1 || !strings.HasPrefix(told[0], "Warning LaunchFailed "+want) {
		t.Errorf("the events are %q", told)
	}
	h = newHand(t)
	h.refuse = refusing("create Pod", 1, apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "p", errors.New("exceeded quota")))
	if err := launch(h.writer(t, startedRun(), nodeOf("a"))); !strings.Contains(err, "creating the pod of benchmark stream on node a: ") || !strings.Contains(err, "exceeded quota") {
		t.Errorf("a quota says %q", err)
	}
	h = newHand(t, resultOf("r", "a")) // of which this pass does not know
	w := h.writer(t, startedRun(), nodeOf("a"))
	if err := launch(w); err != "" || len(h.writes) > 0 || w.written.Recheck.IsZero() {
		t.Errorf("somebody else measures: error %q, writes %q, next look at %v", err, h.writes, w.written.Recheck)
	}
}
