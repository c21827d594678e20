package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/test/hand"
)

func invalid() error {
	return apierrors.NewInvalid(schema.GroupKind{Kind: "ValidationResult"}, "r", nil)
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
		"none can be stored":     {hand.Refusing("create ValidationResult", 9, hand.ErrDown), []string{"create ValidationResult g", "create ValidationResult r"}},
	} {
		t.Run(sentence, func(t *testing.T) {
			h := hand.New(t, podNamed("p"))
			h.Refuse = c.refuse
			w := writerOf(t, reconcilerOf(h), startedRun(), nodeOf("a"))
			group := resultOf("g", "")
			w.out.Groups = []assess.ResultWrite{{Result: group}}
			w.out.Nodes = []assess.ResultWrite{{Result: resultOf("r", "a")}}
			w.out.DeletePods = []assess.PodDeletion{{Pod: podNamed("p"), After: "r"}}
			w.out.DeleteJobs = []assess.JobDeletion{{Name: "j", UID: "uid-j", After: "g"}}
			_ = w.act(t.Context())
			if diff := cmp.Diff(c.want, h.Writes); diff != "" {
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
		"it is refused, and stored without what is new": {hand.Refusing("create ValidationResult g", 1, invalid()),
			[]string{"create ValidationResult g", "create ValidationResult g"}, true},
		"it is refused, and what is left of it cannot be stored": {hand.Refusing("create ValidationResult g", 2, invalid()),
			[]string{"create ValidationResult g", "create ValidationResult g", "create ValidationResult r"}, false},
		"it cannot be stored for now": {hand.Refusing("create ValidationResult g", 1, hand.ErrDown), []string{"create ValidationResult g", "create ValidationResult r"}, false},
	} {
		t.Run(sentence, func(t *testing.T) {
			h := hand.New(t)
			h.Refuse = c.refuse
			w := writerOf(t, reconcilerOf(h), startedRun(), nodeOf("a"))
			w.out.Groups = []assess.ResultWrite{{Result: resultOf("g", "")}}
			w.out.Nodes = []assess.ResultWrite{{Result: resultOf("r", "a")}}
			_ = w.act(t.Context())
			if diff := cmp.Diff(c.want, h.Writes); diff != "" {
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
	for sentence, answer := range map[string]error{"refused for good": invalid(), "not stored for now": hand.ErrDown} {
		t.Run(sentence, func(t *testing.T) {
			h := hand.New(t, nodeOf("a"))
			h.Refuse = hand.Refusing("create ValidationResult", 1, answer)
			w := writerOf(t, reconcilerOf(h), startedRun(), nodeOf("a"))
			r := resultOf("r", "a")
			w.out.Nodes = []assess.ResultWrite{{Result: r}}
			j := hand.Judgement(v1alpha1.VerdictFail, begin)
			w.out.Judged = []assess.JudgedNode{{Node: nodeOf("a"), Result: j.Result, Verdict: j.Verdict,
				Judge: func(*v1alpha1.NodeValidation, *v1alpha1.NodeHistory) taint.Judgement { return j }}}
			_ = w.act(t.Context())
			for _, write := range h.Writes {
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
		w.out.LaunchPods = []assess.PodLaunch{{Task: observe.Task{Benchmark: b}, Node: nodeOf("a"), Attempt: 1, Result: "r"}}
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
	h := hand.New(t)
	w := writerOf(t, reconcilerOf(h), startedRun(), nodeOf("a"))
	pod := made(w)
	if unseen := recentwrites.Unseen(w.recent, func(*corev1.Pod) bool { return false }); len(unseen) != 1 {
		t.Errorf("the next pass, whose cache may not show the pod yet, knows of %d", len(unseen))
	}
	if err := launch(writerOf(t, reconcilerOf(h), startedRun(), nodeOf("a"))); err != "" {
		t.Errorf("its own pod, made in a pass before: %s", err)
	}
	other := pod.DeepCopy()
	other.ResourceVersion, other.OwnerReferences = "", nil
	h = hand.New(t, other)
	want := "creating pod " + pod.Name + ": namespace bench already has one of this name that Assay did not create: delete it"
	if err := launch(writerOf(t, reconcilerOf(h), startedRun(), nodeOf("a"))); err != want {
		t.Errorf("a pod of somebody else: %q, want %q", err, want)
	}
	if told := h.Told(); len(told) != 1 || !strings.HasPrefix(told[0], "Warning LaunchFailed "+want) {
		t.Errorf("the events are %q", told)
	}
	h = hand.New(t)
	h.Refuse = hand.Refusing("create Pod", 1, apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "p", errors.New("exceeded quota")))
	if err := launch(writerOf(t, reconcilerOf(h), startedRun(), nodeOf("a"))); !strings.Contains(err, "creating the pod of benchmark stream on node a: ") || !strings.Contains(err, "exceeded quota") {
		t.Errorf("a quota says %q", err)
	}
	h = hand.New(t, resultOf("r", "a")) // of which this pass does not know
	w = writerOf(t, reconcilerOf(h), startedRun(), nodeOf("a"))
	if err := launch(w); err != "" || len(h.Writes) > 0 || w.written.Recheck.IsZero() {
		t.Errorf("somebody else measures: error %q, writes %q, next look at %v", err, h.Writes, w.written.Recheck)
	}
}

// TestAPodIsDeletedOnce, but as often as it takes where its kubelet has said that its containers ended.
func TestAPodIsDeletedOnce(t *testing.T) {
	for force, want := range map[bool][]string{false: {"delete uid-p of Pod p"}, true: {"force delete uid-p of Pod p", "force delete uid-p of Pod p"}} {
		h := hand.New(t, podNamed("p"))
		w := writerOf(t, reconcilerOf(h), startedRun(), nodeOf("a"))
		for range 2 {
			if err := w.deletePod(t.Context(), assess.PodDeletion{Pod: podNamed("p"), Force: force}); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, h.Writes); diff != "" {
			t.Errorf("by force: %v: other writes (-want +got):\n%s", force, diff)
		}
	}
}

// TestAPodThatMayHaveEndedIsDeletedAsItWasSeen: what it may have found since is not to be lost.
func TestAPodThatMayHaveEndedIsDeletedAsItWasSeen(t *testing.T) {
	h := hand.New(t, podNamed("p"))
	seen := &corev1.Pod{}
	if err := h.Get(t.Context(), client.ObjectKeyFromObject(podNamed("p")), seen); err != nil {
		t.Fatal(err)
	}
	since := seen.DeepCopy()
	since.Status.Phase = corev1.PodSucceeded
	if err := h.Update(t.Context(), since); err != nil {
		t.Fatal(err)
	}
	w := writerOf(t, reconcilerOf(h), startedRun(), nodeOf("a"))
	if err := w.deletePod(t.Context(), assess.PodDeletion{Pod: seen, AsSeen: true}); err != nil {
		t.Fatal(err)
	}
	if err := h.Get(t.Context(), client.ObjectKeyFromObject(seen), since); err != nil || w.written.Recheck.IsZero() {
		t.Errorf("the pod, which has ended since: %v; it is looked at again at %v", err, w.written.Recheck)
	}
	if err := w.deletePod(t.Context(), assess.PodDeletion{Pod: since, AsSeen: true}); err != nil || !apierrors.IsNotFound(h.Get(t.Context(), client.ObjectKeyFromObject(seen), since)) {
		t.Errorf("as it is, it is not deleted: %v", err)
	}
}

// TestALeftoverIsNeverRemovedByForce: whoever asks for the devices of a pod that is forgotten gets them, whether its program has ended or not.
// One that is deleted is left to its kubelet, and waited for while that can hear of it.
func TestALeftoverIsNeverRemovedByForce(t *testing.T) {
	silent := nodeOf("a")
	silent.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown, LastTransitionTime: metav1.NewTime(begin.Add(-time.Hour))}}
	lately := silent.DeepCopy()
	lately.Status.Conditions[0].LastTransitionTime = metav1.NewTime(begin.Add(-59 * time.Second))
	failing := silent.DeepCopy()
	failing.Status.Conditions[0].Status = corev1.ConditionFalse
	another := nodeOf("a")
	another.UID = "another"
	for sentence, c := range map[string]struct {
		nodes   []client.Object
		going   bool
		awaited bool
	}{
		"its node is there":                                   {[]client.Object{nodeOf("a")}, false, true},
		"its node is there, and it is going":                  {[]client.Object{nodeOf("a")}, true, true},
		"its node is out of reach, and nobody has tried":      {[]client.Object{silent}, false, true},
		"its node is out of reach, and it is going":           {[]client.Object{silent}, true, false},
		"its node has been out of reach for a moment":         {[]client.Object{lately}, true, true},
		"its kubelet lives, and says that it is not Ready":    {[]client.Object{failing}, true, true},
		"its node is gone, and it is going":                   {nil, true, false},
		"its node is gone, and nobody has tried to end it":    {nil, false, true},
		"its node is another one by now, whose kubelet hears": {[]client.Object{another}, true, true},
	} {
		t.Run(sentence, func(t *testing.T) {
			run, p := startedRun(), ownPod(startedRun()).(*corev1.Pod)
			h := hand.New(t, append(c.nodes, p)...)
			r := reconcilerOf(h)
			if c.going {
				if err := h.Delete(t.Context(), p.DeepCopy()); err != nil {
					t.Fatal(err)
				}
				h.Writes = nil
			}
			left, err := r.own.DeleteAll(t.Context(), run)
			if err != nil || (left > 0) != c.awaited {
				t.Errorf("%d pods are waited for, want some: %v; error %v", left, c.awaited, err)
			}
			want := []string{"delete uid-p of Pod p"}
			if c.going {
				want = nil
			}
			if diff := cmp.Diff(want, h.Writes); diff != "" {
				t.Errorf("other writes (-want +got):\n%s", diff)
			}
			if r.recent.IsRemoved(p.UID) == c.going {
				t.Error("the next pass has to know what is deleted")
			}
		})
	}
}

// TestABusyNodeIsLeftAlone: only what still runs, and is no benchmark of ours, holds its devices.
func TestABusyNodeIsLeftAlone(t *testing.T) {
	for sentence, c := range map[string]struct {
		change func(*corev1.Pod)
		busy   bool
	}{
		"a pod of others":       {func(*corev1.Pod) {}, true},
		"it is over":            {func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }, false},
		"it failed":             {func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }, false},
		"it asks for no device": {func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Limits = nil }, false},
		"it is on another node": {func(p *corev1.Pod) { p.Spec.NodeName = "b" }, false},
		"it is a benchmark": {func(p *corev1.Pod) {
			p.Labels, p.Namespace = map[string]string{v1alpha1.LabelBenchmark: "stream"}, "bench"
		}, false},
		"it says that it is one":               {func(p *corev1.Pod) { p.Labels = map[string]string{v1alpha1.LabelBenchmark: "stream"} }, true},
		"it is in the namespace of benchmarks": {func(p *corev1.Pod) { p.Namespace = "bench" }, true},
	} {
		t.Run(sentence, func(t *testing.T) {
			p := podNamed("p")
			p.Namespace, p.Spec.NodeName = "default", "a"
			p.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}}}}
			c.change(p)
			h := hand.New(t, p, nodeOf("a"))
			w := writerOf(t, reconcilerOf(h), startedRun(), nodeOf("a"))
			b := streamOnGPUs()
			if err := w.launchPod(t.Context(), assess.PodLaunch{Task: observe.Task{Benchmark: &b}, Node: nodeOf("a"), Attempt: 1, Result: "r"}); err != nil {
				t.Fatal(err)
			}
			want := ""
			if c.busy {
				want = "pod " + p.Namespace + "/p holds 8 nvidia.com/gpu"
			}
			if got := w.written.Nodes["a"].Busy; got != want || (len(h.Writes) == 0) != c.busy {
				t.Errorf("held by %q, want %q; writes %q", got, want, h.Writes)
			}
			if known := w.recent.BusyNodes(begin, time.Minute)["a"]; known != want {
				t.Errorf("the next pass knows of %q, want %q", known, want)
			}
		})
	}
}

// TestTwoRunsStartNoPodsOnOneNode (P1): of two passes that began before either had started a pod on a node, one does. Both pods would wait for all devices that
// the node shows, and once it gets one back, both fit.
func TestTwoRunsStartNoPodsOnOneNode(t *testing.T) {
	h := hand.New(t)
	r := reconcilerOf(h)
	another := startedRun()
	another.Name, another.UID = "another", "another-uid"
	b := streamOnGPUs()
	launch := func(w *writer, node string, attempt int32) {
		t.Helper()
		if err := w.launchPod(t.Context(), assess.PodLaunch{Task: observe.Task{Benchmark: &b}, Node: nodeOf(node), Attempt: attempt, Result: "r-" + node}); err != nil {
			t.Fatal(err)
		}
	}
	passOf := func(run *v1alpha1.ValidationRun) *writer {
		w := writerOf(t, r, run, nodeOf("a"), nodeOf("b"))
		w.turn = r.recent.Turn()
		return w
	}
	first, second := passOf(startedRun()), passOf(another)
	h.Refuse = func(string) error { // while the first creates its pod
		h.Refuse = nil
		launch(second, "a", 1)
		return nil
	}
	launch(first, "a", 1)
	if len(h.Writes) != 1 || second.written.Recheck.IsZero() {
		t.Errorf("both go on at once: writes %q, and the second looks again at %v", h.Writes, second.written.Recheck)
	}
	launch(second, "a", 1)
	if len(h.Writes) != 1 {
		t.Errorf("the second has not seen the pod of the first, and starts its own: %q", h.Writes)
	}
	launch(second, "b", 1)
	launch(first, "a", 2)
	if len(h.Writes) != 3 {
		t.Errorf("other nodes, and further attempts of the same run, wait for nobody: %q", h.Writes)
	}
	launch(passOf(another), "a", 1)
	if len(h.Writes) != 4 {
		t.Errorf("whoever has seen what others started decides by that: %q", h.Writes)
	}
}

// TestJobsOfOthersHoldTheirNodes, those of the run itself do not.
func TestJobsOfOthersHoldTheirNodes(t *testing.T) {
	run := startedRun()
	job := func(node string, owner types.UID) metav1.PartialObjectMetadata {
		return metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "j-" + node, Labels: map[string]string{v1alpha1.LabelRunName: "nightly"},
			Annotations:     map[string]string{v1alpha1.AnnotationNodes: `[{"name":"` + node + `"}]`},
			OwnerReferences: []metav1.OwnerReference{{UID: owner, Controller: new(true)}}}}
	}
	r := &Reconciler{Live: &jobReader{jobs: []metav1.PartialObjectMetadata{job("a", run.UID), job("b", "another")}}}
	r.own = r.objects()
	claims, err := r.own.Held(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"b": "waiting for run nightly, which is measuring this node"}, claims); diff != "" {
		t.Errorf("nodes held by others (-want +got):\n%s", diff)
	}
	w := &writer{Reconciler: r, pass: &pass{run: run}}
	for name, want := range map[string]string{"j-a": "", "j-b": "creating MPIJob j-b: namespace bench already has one of this name that Assay did not create: delete it"} {
		err := w.checkJobOwner(t.Context(), &mpi.MPIJob{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "bench"}})
		if got := fmt.Sprint(err); err != nil && got != want || err == nil && want != "" {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// TestMissingDevicesAreLookedForAgain: an attempt that no pod made says that devices are missing, and a leader that was stalled may have seen that minutes ago.
// Where it is not so any more, it ends no run.
func TestMissingDevicesAreLookedForAgain(t *testing.T) {
	offering := func(n int64) *corev1.Node {
		node := nodeOf("a") // as a kubelet writes it, of which the cache leaves much out
		node.Annotations = map[string]string{"volumes.kubernetes.io/controller-managed-attach-detach": "true"}
		node.Spec.PodCIDR = "10.0.0.0/24"
		node.Status.Capacity = corev1.ResourceList{workload.GPUResource: resource.MustParse("8"), corev1.ResourceCPU: resource.MustParse("192"),
			corev1.ResourceMemory: resource.MustParse("2Ti"), corev1.ResourcePods: resource.MustParse("110")}
		node.Status.Allocatable = node.Status.Capacity.DeepCopy()
		node.Status.Allocatable[workload.GPUResource] = *resource.NewQuantity(n, resource.DecimalSI)
		return node
	}
	run := startedRun()
	run.Spec.Benchmarks = []v1alpha1.BenchmarkRef{{Name: "stream"}}
	pod := podNamed(workload.PodName(run.UID, "uid-a", "stream", 1))
	foreign := pod.DeepCopy()
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(run, v1alpha1.GroupVersion.WithKind("ValidationRun"))}
	cordoned := offering(7)
	cordoned.Spec.Unschedulable = true
	for sentence, c := range map[string]struct {
		live []client.Object
		ends bool
	}{
		"the node misses them":                  {[]client.Object{offering(7)}, true},
		"somebody has a pod of that name":       {[]client.Object{offering(7), foreign}, true},
		"it has them again":                     {[]client.Object{offering(8)}, false},
		"it is being repaired":                  {[]client.Object{cordoned}, false},
		"another leader has started an attempt": {[]client.Object{offering(7), pod}, false},
		"the node is gone":                      {nil, false},
	} {
		t.Run(sentence, func(t *testing.T) {
			h := hand.New(t, run.DeepCopy(), controllers.AsCached(offering(7)))
			r, clock := reconcilerOf(h), testclock.NewFakePassiveClock(begin)
			r.Clock, r.Live = clock, hand.New(t, append(c.live, run.DeepCopy())...)
			r.own = r.objects()
			r.memoryOf(run).pin = &pin{snapshot: catalogue.Take([]v1alpha1.Benchmark{streamOnGPUs()}, nil), stored: true}
			passes(t.Context(), r, clock, func() bool { return runIn(t, h).Finished() || clock.Since(begin) > 5*time.Minute })
			if got := runIn(t, h).Finished(); got != c.ends {
				t.Errorf("the run is over: %v, want %v: %s", got, c.ends, finished(t, h))
			}
			if stored := slices.ContainsFunc(h.Writes, func(w string) bool { return strings.Contains(w, "ValidationResult") }); stored != c.ends {
				t.Errorf("a result is stored: %v; it wrote %q", stored, h.Writes)
			}
		})
	}
}

func streamOnGPUs() v1alpha1.Benchmark {
	b := v1alpha1.Benchmark{Spec: v1alpha1.BenchmarkSpec{Scope: v1alpha1.ScopeNode, TimeoutSeconds: 60, Metrics: []v1alpha1.Metric{{Name: "rate", Unit: "GB/s"}}}}
	b.Name, b.Spec.Needs.DeviceResource = "stream", workload.GPUResource
	return b
}

// jobReader answers every list with these MPIJobs.
type jobReader struct {
	client.Reader
	jobs []metav1.PartialObjectMetadata
}

func (r *jobReader) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	list.(*metav1.PartialObjectMetadataList).Items = r.jobs
	return nil
}
