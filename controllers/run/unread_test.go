package run

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	testclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/test/hand"
)

// unreadable are the answers of a read that never succeeds.
var unreadable = map[string]error{
	"forbidden":   apierrors.NewForbidden(schema.GroupResource{Resource: "things"}, "", errors.New("nobody may")),
	"broken":      apierrors.NewInternalError(errors.New("conversion webhook failed")),
	"undecodable": errors.New("json: cannot unmarshal string into Go struct field"),
}

// groupRun is a run over nodes a and b by a benchmark of groups, with a worker that holds a.
func groupRun(t *testing.T) (*hand.Cluster, *Reconciler, *testclock.FakePassiveClock) {
	t.Helper()
	run := startedRun()
	run.Spec.NodeNames, run.Spec.Benchmarks, run.Spec.MaxConcurrentNodes = []string{"a", "b"}, []v1alpha1.BenchmarkRef{{Name: "net"}}, nil
	b := v1alpha1.Benchmark{Spec: v1alpha1.BenchmarkSpec{Scope: v1alpha1.ScopeGroup, TimeoutSeconds: 60, Group: &v1alpha1.Group{Size: intstr.FromInt32(2)},
		Metrics: []v1alpha1.Metric{{Name: "bandwidth", Unit: "GB/s"}}}}
	b.Name = "net"
	worker := podNamed("g-net-worker-0")
	worker.Labels = map[string]string{v1alpha1.LabelRunUID: string(run.UID)}
	worker.OwnerReferences = []metav1.OwnerReference{{APIVersion: mpi.SchemeGroupVersion.String(), Kind: mpi.Kind, Name: "g-net", UID: "job-uid", Controller: new(true)}}
	worker.Spec.NodeName = "a"
	job := &mpi.MPIJob{ObjectMeta: metav1.ObjectMeta{Name: "g-net", Namespace: "bench", UID: "job-uid"}}
	h := hand.New(t, run, nodeOf("a"), nodeOf("b"), worker, job, workload.JobPolicy(run, "g-net", workload.Settings{Namespace: "bench"}))
	r := reconcilerOf(h)
	clock := testclock.NewFakePassiveClock(begin)
	r.Clock = clock
	r.own = r.objects()
	r.memoryOf(run).pin = &pin{snapshot: catalogue.Take([]v1alpha1.Benchmark{b}, nil), stored: true}
	return h, r, clock
}

// runIn is the run as it is now; nil where it is gone.
func runIn(t *testing.T, h *hand.Cluster) *v1alpha1.ValidationRun {
	t.Helper()
	before := h.Unread
	h.Unread = nil
	defer func() { h.Unread = before }()
	run := &v1alpha1.ValidationRun{}
	switch err := h.Get(t.Context(), client.ObjectKey{Name: "run"}, run); {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		t.Fatal(err)
	}
	return run
}

// holds says how many pods there are, which hold nodes.
func holds(t *testing.T, h *hand.Cluster) int {
	t.Helper()
	before := h.Unread
	h.Unread = nil
	defer func() { h.Unread = before }()
	var pods corev1.PodList
	if err := h.List(t.Context(), &pods); err != nil {
		t.Fatal(err)
	}
	return len(pods.Items)
}

// passes reconciles as the queue does: again when the run asked for it, within a minute after an error, until stop says so.
func passes(ctx context.Context, r *Reconciler, clock *testclock.FakePassiveClock, stop func() bool) (after time.Duration) {
	start := clock.Now()
	for !stop() && clock.Since(start) < 2*time.Hour {
		again, err := r.Reconcile(ctx, ctrl.Request{NamespacedName: client.ObjectKey{Name: "run"}})
		wait := again.RequeueAfter
		if err != nil || wait == 0 {
			wait = time.Minute
		}
		clock.SetTime(clock.Now().Add(wait))
	}
	return clock.Since(start)
}

// only objects of this kind cannot be read.
func only(kind string, answer error) func(string) error {
	return func(read string) error {
		if read == kind {
			return answer
		}
		return nil
	}
}

// TestARunThatCannotBeReadEnds (P2, P3): whatever cannot be read, for good, the run says so, gives its nodes back at its deadline, and is
// over within the grace and a minute.
func TestARunThatCannotBeReadEnds(t *testing.T) {
	for _, kind := range []string{"MPIJob", "ValidationResult", "Node", "NodeValidation"} {
		for how, answer := range unreadable {
			t.Run(kind+" "+how, func(t *testing.T) {
				h, r, clock := groupRun(t)
				h.Unread = only(kind, answer)
				passes(t.Context(), r, clock, func() bool { return clock.Since(begin) > 2*time.Minute })
				if c := meta.FindStatusCondition(runIn(t, h).Status.Conditions, v1alpha1.ConditionStalled); c == nil || c.Reason != v1alpha1.ReasonUnreadable || !strings.Contains(c.Message, answer.Error()) {
					t.Errorf("after two minutes it says %+v", c)
				}
				took := passes(t.Context(), r, clock, func() bool { return runIn(t, h).Finished() })
				deadline := runIn(t, h).Status.StartTime.Add(600 * time.Second)
				if limit := deadline.Add(observe.CleanupGrace + time.Minute); !runIn(t, h).Finished() || clock.Now().After(limit.Add(time.Minute)) {
					t.Fatalf("after %s more it is not over: %s", took, finished(t, h))
				}
				if got := finished(t, h); !strings.HasPrefix(got, "True/Unreadable: ") || !strings.Contains(got, answer.Error()) {
					t.Errorf("it ends with %q", got)
				}
				if n := holds(t, h); n > 0 {
					t.Errorf("%d of its pods still hold nodes", n)
				}
			})
		}
	}
}

// TestAResultThatCannotBeDecodedSpoilsNoOther (P2, P10): its node is in error, with the name of the object, and the run ends by the others.
func TestAResultThatCannotBeDecodedSpoilsNoOther(t *testing.T) {
	run := startedRun()
	run.Spec.NodeNames, run.Spec.Confirmations, run.Spec.Benchmarks = []string{"a", "b"}, new(int32(0)), []v1alpha1.BenchmarkRef{{Name: "stream"}}
	b := v1alpha1.Benchmark{Spec: v1alpha1.BenchmarkSpec{Scope: v1alpha1.ScopeNode, TimeoutSeconds: 60, Metrics: []v1alpha1.Metric{
		{Name: "triad", Unit: "GB/s", Headline: true, Expectation: &v1alpha1.Expectation{Min: "9"}}}}}
	b.Name = "stream"
	results := map[string]*v1alpha1.ValidationResult{}
	for _, node := range run.Spec.NodeNames {
		r := resultOf("r-"+node, node)
		r.Labels, r.Verdict, r.Benchmarks[0].Verdict = map[string]string{v1alpha1.LabelRunUID: string(run.UID)}, v1alpha1.VerdictPending, v1alpha1.VerdictPending
		r.Benchmarks[0].Attempts[0].Measurements = []v1alpha1.Measurement{{Name: "triad", Unit: "GB/s", Parts: []v1alpha1.PartValue{{At: "node", Value: "10"}}}}
		results[node] = r
	}
	run.Spec.OnFailure = &v1alpha1.OnFailure{Taint: &v1alpha1.Taint{Key: hand.Unfit.Key, Effect: hand.Unfit.Effect}}
	convicted := hand.Judgement(v1alpha1.VerdictFail, begin.Add(-time.Second)) // by this run, before the operator was made anew
	record := taint.Labelled(convicted.Announced(convicted.Quarantine(taint.Current{Node: nodeOf("a")}, func(corev1.Taint) bool { return true }), "id"), "a")
	h := hand.New(t, run, hand.Tainted(record), nodeOf("b"), results["a"], results["b"], record)
	r := reconcilerOf(h)
	r.Live = garbling{h, "r-a"}
	r.own = r.objects()
	clock := testclock.NewFakePassiveClock(begin)
	r.Clock = clock
	r.own = r.objects()
	r.memoryOf(run).pin = &pin{snapshot: catalogue.Take([]v1alpha1.Benchmark{b}, nil), stored: true}
	if took := passes(t.Context(), r, clock, func() bool { return runIn(t, h).Finished() }); !runIn(t, h).Finished() {
		t.Errorf("it is over only after %s: %s", took, finished(t, h))
	}
	rows := map[string]v1alpha1.NodeRow{}
	for _, row := range runIn(t, h).Status.Nodes {
		rows[row.Name] = row
	}
	if a := rows["a"]; a.Verdict != v1alpha1.VerdictError || a.Reason != v1alpha1.ReasonUnreadable || !strings.Contains(a.Message, "what ValidationResult r-a held could not be decoded") {
		t.Errorf("node a: %s/%s: %s", a.Verdict, a.Reason, a.Message)
	}
	if rows["b"].Verdict != v1alpha1.VerdictPass {
		t.Errorf("node b: %+v", rows["b"])
	}
	stored := &v1alpha1.ValidationResult{}
	if err := h.Get(t.Context(), client.ObjectKey{Name: "r-a"}, stored); err != nil || stored.Verdict != v1alpha1.VerdictError {
		t.Errorf("error %v, stored as %s: %s", err, stored.Verdict, stored.Message)
	}
	if v := h.Validation(t); len(h.Taints(t)) != 1 || len(v.Convictions) != 1 {
		t.Errorf("what nobody can read has cleared node a: it carries %v, convicted of %+v", h.Taints(t), v.Convictions)
	}
}

// garbling is an API server of which one result cannot be decoded.
type garbling struct {
	*hand.Cluster
	name string
}

func (g garbling) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if _, typed := list.(*v1alpha1.ValidationResultList); typed {
		return unreadable["undecodable"]
	}
	return g.Cluster.List(ctx, list, opts...)
}

func (g garbling) Get(ctx context.Context, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
	if _, typed := o.(*v1alpha1.ValidationResult); typed && key.Name == g.name {
		return unreadable["undecodable"]
	}
	err := g.Cluster.Get(ctx, key, o, opts...)
	if raw, is := o.(*unstructured.Unstructured); is && err == nil {
		raw.Object["benchmarks"] = []any{map[string]any{"name": "stream", "attempts": "none"}}
	}
	return err
}

// TestADeletedRunGoesWhateverCannotBeRead (P3): its pods go at once, their MPIJob with them, and it does when nothing that holds a node is left.
func TestADeletedRunGoesWhateverCannotBeRead(t *testing.T) {
	for _, kind := range []string{"MPIJob", "NetworkPolicy", "ValidationResult"} {
		for how, answer := range unreadable {
			t.Run(kind+" "+how, func(t *testing.T) {
				h, r, clock := groupRun(t)
				h.Unread = only(kind, answer)
				if err := h.Delete(t.Context(), runIn(t, h)); err != nil {
					t.Fatal(err)
				}
				clock.SetTime(runIn(t, h).DeletionTimestamp.Time)
				passes(t.Context(), r, clock, func() bool { return holds(t, h) == 0 || runIn(t, h) == nil })
				if runIn(t, h) == nil {
					t.Fatal("the run went before its pod")
				}
				if took := passes(t.Context(), r, clock, func() bool { return runIn(t, h) == nil }); took > observe.CleanupGrace+time.Minute {
					t.Errorf("the run goes only after %s", took)
				}
				job := &mpi.MPIJob{}
				h.Unread = nil
				if err := h.Get(t.Context(), client.ObjectKey{Namespace: "bench", Name: "g-net"}, job); kind == "MPIJob" && !apierrors.IsNotFound(err) {
					t.Errorf("its MPIJob is there, and makes its pods anew: %v", err)
				}
			})
		}
	}
}

// TestADeletedRunStaysWithItsPods: as long as a pod may hold a node the run stays, and says why.
func TestADeletedRunStaysWithItsPods(t *testing.T) {
	for why, broken := range map[string]func(*hand.Cluster){
		"deleting pod g-net-worker-0": func(h *hand.Cluster) {
			h.Refuse = func(write string) error {
				if strings.Contains(write, "Pod") {
					return unreadable["forbidden"]
				}
				return nil
			}
		},
		"listing benchmark pods": func(h *hand.Cluster) { h.Unread = unreadKind("Pod") },
	} {
		t.Run(why, func(t *testing.T) {
			h, r, clock := groupRun(t)
			broken(h)
			if err := h.Delete(t.Context(), runIn(t, h)); err != nil {
				t.Fatal(err)
			}
			clock.SetTime(runIn(t, h).DeletionTimestamp.Time)
			passes(t.Context(), r, clock, func() bool { return runIn(t, h) == nil })
			if runIn(t, h) == nil {
				t.Fatal("the run is gone, and its pod holds a node")
			}
			if c := meta.FindStatusCondition(runIn(t, h).Status.Conditions, v1alpha1.ConditionStalled); c == nil || !strings.Contains(c.Message, why) {
				t.Errorf("it does not say why: %+v", c)
			}
		})
	}
}

// unreadKind keeps one kind from being read.
func unreadKind(kind string) func(string) error {
	return func(read string) error {
		if read == kind {
			return unreadable["forbidden"]
		}
		return nil
	}
}

// TestASuspendedRunThatCannotBeRead says so, also where its pods cannot all be deleted, and gets the time back for which it was suspended.
func TestASuspendedRunThatCannotBeRead(t *testing.T) {
	for _, kind := range []string{"MPIJob", "Pod", "ValidationResult"} {
		t.Run(kind, func(t *testing.T) {
			h, r, clock := groupRun(t)
			suspend := func(on bool) {
				run := runIn(t, h)
				run.Spec.Suspend = on
				if err := h.Update(t.Context(), run); err != nil {
					t.Fatal(err)
				}
			}
			h.Unread = unreadKind(kind)
			suspend(true)
			passes(t.Context(), r, clock, func() bool { return clock.Since(begin) > 20*time.Minute })
			c := meta.FindStatusCondition(runIn(t, h).Status.Conditions, v1alpha1.ConditionStalled)
			if c == nil || !strings.Contains(c.Message, "nobody may") {
				t.Errorf("it does not say why: %+v", c)
			}
			if !meta.IsStatusConditionTrue(runIn(t, h).Status.Conditions, v1alpha1.ConditionSuspended) {
				t.Error("it does not say that it is suspended")
			}
			writes := len(h.Writes)
			passes(t.Context(), r, clock, func() bool { return clock.Since(begin) > 25*time.Minute })
			if len(h.Writes) > writes {
				t.Errorf("it is not quiet: %q", h.Writes[writes:])
			}
			suspend(false)
			passes(t.Context(), r, clock, func() bool { return clock.Since(begin) > 30*time.Minute })
			if runIn(t, h).Finished() {
				t.Errorf("it is over for the time that it was suspended: %s", finished(t, h))
			}
			passes(t.Context(), r, clock, func() bool { return runIn(t, h).Finished() })
			if after := clock.Since(begin); after > 41*time.Minute {
				t.Errorf("it is over only after %s", after)
			}
		})
	}
}

// TestAMomentWithoutReadingChangesNothing: what the API server has for a moment costs no write, at no time.
func TestAMomentWithoutReadingChangesNothing(t *testing.T) {
	for sentence, at := range map[string]time.Duration{"in mid-run": 0, "past its deadline": 10 * time.Minute, "past its grace": 20 * time.Minute} {
		t.Run(sentence, func(t *testing.T) {
			h, r, clock := groupRun(t)
			clock.SetTime(begin.Add(at))
			h.Unread = func(read string) error {
				if read == "ValidationResult" {
					return unreadable["broken"]
				}
				return nil
			}
			for range 3 {
				if _, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Name: "run"}}); err == nil {
					t.Error("the pass is not tried again at once")
				}
				clock.SetTime(clock.Now().Add(9 * time.Second))
			}
			if len(h.Writes) > 0 {
				t.Errorf("it wrote %q", h.Writes)
			}
		})
	}
}
