// Long, because the life of a run is told in one place, from creation to deletion.

package controllers_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// moments are states of a run, each reached by the lab's steps. Node a is slow, so that there is a confirmation.
var moments = map[string]func(l *lab){
	"it is new":            func(*lab) {},
	"it has its finalizer": func(l *lab) { l.until("has a finalizer", func() bool { l.pass(); return len(l.get().Finalizers) > 0 }) },
	"its pods are pending": func(l *lab) {
		for len(l.pods()) == 0 {
			l.pass() // without a kubelet
		}
	},
	"its pods run":        func(l *lab) { l.until("a pod runs", func() bool { return l.anyPod(corev1.PodRunning) }) },
	"its pods have ended": func(l *lab) { l.until("a pod ended", func() bool { return l.anyPod(corev1.PodSucceeded) }) },
	"a result is stored":  func(l *lab) { l.until("a result", func() bool { return l.result("a") != nil }) },
	"it confirms a fail": func(l *lab) {
		l.until("a second attempt", func() bool {
			return slices.ContainsFunc(l.pods(), func(p corev1.Pod) bool { return p.Annotations[v1alpha1.AnnotationAttempt] == "2" })
		})
	},
	"a node is judged": func(l *lab) {
		l.until("judged", func() bool { r := l.result("a"); return r != nil && r.Verdict == v1alpha1.VerdictFail })
	},
	"it is suspended": func(l *lab) {
		l.until("a pod runs", func() bool { return l.anyPod(corev1.PodRunning) })
		l.suspend(true)
		l.until("suspended", func() bool { return state(l.get())[v1alpha1.ConditionSuspended] == "True/Suspended" })
	},
	"it is invalid": func(l *lab) {
		l.must(api.Delete(l.t.Context(), &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: l.name}}))
		l.until("invalid", func() bool { return state(l.get())[v1alpha1.ConditionFinished] == "False/Invalid" })
	},
	"it waits for a node": func(l *lab) {
		l.ready("a", corev1.ConditionFalse)
		l.ready("b", corev1.ConditionFalse)
		l.until("waiting", func() bool { return state(l.get())[v1alpha1.ConditionFinished] == "False/Waiting" })
	},
	"it is finished": func(l *lab) { l.finish() },
}

func (l *lab) anyPod(phase corev1.PodPhase) bool {
	return slices.ContainsFunc(l.pods(), func(p corev1.Pod) bool { return p.Status.Phase == phase })
}

// TestDeleteAtAnyMoment: a deleted run takes its pods along; what is proven of nodes stays, and nothing unproven appears.
func TestDeleteAtAnyMoment(t *testing.T) {
	t.Parallel()
	for sentence, reach := range moments {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, 2)
			l.plays = on("a", program{rate: 50})
			l.run(tainting)
			reach(l)
			before := l.validation("a")
			l.must(api.Delete(t.Context(), l.get()))
			l.until("gone", l.gone)
			if pods := l.pods(); len(pods) > 0 {
				t.Errorf("%d pods are left", len(pods))
			}
			if after := l.validation("a"); (before == nil) != (after == nil) {
				t.Errorf("what is remembered of node a changed with the run's deletion from %v to %v", before, after)
			}
			if tainted := len(taints(l.getNode("a"))) > 0; tainted && l.validation("a") == nil {
				t.Error("node a is tainted, and nothing tells why")
			}
			l.pass() // for a run that is not there
		})
	}
}

// TestFinalizerWaits: a run is not gone before its last pod is, unless no kubelet hears that it is to end. Then the pod stays without it.
func TestFinalizerWaits(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.plays = always(program{forever: true, hangs: true})
	l.run()
	l.until("running", func() bool { return l.anyPod(corev1.PodRunning) })
	l.must(api.Delete(t.Context(), l.get()))
	for range 5 {
		if result := l.pass(); result.RequeueAfter == 0 {
			t.Fatal("nobody will look again at a pod that does not go")
		}
	}
	if l.gone() || len(l.pods()) != 1 {
		t.Fatal("the run is gone although its pod holds the node")
	}
	l.ready("a", corev1.ConditionUnknown)
	l.clock.SetTime(l.clock.Now().Add(59 * time.Second))
	l.pass()
	if l.gone() {
		t.Fatal("the run is gone although the pod's kubelet may hear of it any moment")
	}
	l.clock.SetTime(l.clock.Now().Add(time.Second))
	l.until("gone", l.gone)
	same(t, "the pods left, whose programs may still run", 1, len(l.pods()))
}

// TestLastPods: a run with all its verdicts says which pods it waits for.
func TestLastPods(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	l.run()
	l.until("both nodes are measured", func() bool { return len(l.pods()) == 2 })
	l.hold("a", "example.com/hold")
	l.hold("b", "example.com/hold")
	l.until("all nodes are done", func() bool { return l.get().Status.Progress == "2/2" })
	same(t, "the condition", "False/Running", state(l.get())[v1alpha1.ConditionFinished])
	want := fmt.Sprintf("2/2 done; waiting for pod %s to end on node %s, and for 1 more", l.podOn("a").Name, l.node("a"))
	same(t, "its message", want, l.get().Status.Conditions[0].Message)
	l.hold("a")
	want = fmt.Sprintf("2/2 done; waiting for pod %s to end on node %s", l.podOn("b").Name, l.node("b"))
	l.clock.SetTime(l.clock.Now().Add(2 * time.Second))
	l.pass()
	same(t, "its message with one pod left", want, l.get().Status.Conditions[0].Message)
	l.hold("b")
	l.until("finished", l.finished)
}

// TestAPodThatNeverGoes: a run whose last pod hangs is over after its grace, and says where to look.
func TestAPodThatNeverGoes(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.plays = always(program{hangs: true})
	began := l.clock.Now()
	l.run(func(r *v1alpha1.ValidationRun) { r.Spec.ActiveDeadlineSeconds = new(int64(600)) })
	l.until("it is measured", func() bool { return len(l.pods()) == 1 })
	l.hold("a", "example.com/hold")
	l.until("finished", l.finished)
	if took := l.clock.Now().Sub(began); took > 13*time.Minute {
		t.Errorf("it was over only after %s", took)
	}
	same(t, "the conditions", passed, state(l.get()))
	contains(t, "the message", finishedMessage(l.get()), fmt.Sprintf("pod %s/%s is still ending on node %s: a process may hang in a driver; check the node", namespace, l.podOn("a").Name, l.node("a")))
	l.hold("a")
}

// hold sets the finalizers of the pod on a node.
func (l *lab) hold(short string, finalizers ...string) {
	l.t.Helper()
	pod := l.podOn(short)
	before := pod.DeepCopy()
	pod.Finalizers = finalizers
	l.must(api.Patch(l.t.Context(), pod, client.MergeFrom(before)))
}

// podOn is the run's pod on a node.
func (l *lab) podOn(short string) *corev1.Pod {
	l.t.Helper()
	pods := l.pods()
	i := slices.IndexFunc(pods, func(p corev1.Pod) bool { return p.Annotations[v1alpha1.AnnotationNode] == l.node(short) })
	if i < 0 {
		l.t.Fatalf("no pod is on node %s", short)
	}
	return &pods[i]
}

func (l *lab) suspend(yes bool) {
	l.t.Helper()
	run := l.get()
	run.Spec.Suspend = yes
	l.must(api.Update(l.t.Context(), run))
}

func TestSuspendAndResume(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	l.plays = func(node, _ string, _ int) program {
		if node == "a" {
			return program{takes: time.Second}
		}
		return program{takes: time.Minute}
	}
	l.run(func(r *v1alpha1.ValidationRun) { r.Spec.ActiveDeadlineSeconds = new(int64(100)) })
	l.until("one node is done", func() bool { r := l.result("a"); return r != nil && r.Verdict == v1alpha1.VerdictPass })
	l.suspend(true)
	l.until("no pod", func() bool { return len(l.pods()) == 0 })
	for l.step() {
		if pods := l.pods(); len(pods) > 0 {
			t.Fatalf("a suspended run has pods: %s", l.describe())
		}
	}
	want := map[string]string{"Finished": "False/Suspended", "Succeeded": "Unknown/Suspended", "Suspended": "True/Suspended"}
	same(t, "the conditions", want, state(l.get()))
	same(t, "progress", "1/2", l.get().Status.Progress)

	l.clock.SetTime(l.clock.Now().Add(10 * time.Minute)) // far beyond the deadline
	l.pass()
	same(t, "the conditions long after", want, state(l.get()))
	l.suspend(false)
	l.pass()
	resumed := l.get()
	same(t, "the conditions when resumed", map[string]string{"Finished": "False/Running", "Succeeded": "Unknown/Running", "Reconciling": "True/Running"}, state(resumed))
	if !resumed.Status.StartTime.Time.Equal(l.clock.Now().Truncate(time.Second)) {
		t.Errorf("the deadline counts from %s, it is %s", resumed.Status.StartTime, l.clock.Now())
	}
	run := l.finish()
	same(t, "the conditions at the end", passed, state(run))
	same(t, "attempts of the node that was done before", 1, len(l.result("a").Benchmarks[0].Attempts))
}

// TestInvalid: what only a person can put right is told, waits, and goes on by itself once it is right.
func TestInvalid(t *testing.T) {
	t.Parallel()
	invalid := map[string]string{"Finished": "False/Invalid", "Succeeded": "False/Invalid", "Stalled": "True/Invalid"}
	cases := map[string]struct {
		spec    func(*lab) func(*v1alpha1.ValidationRun)
		message string
		fix     func(*lab)
	}{
		"an unknown benchmark": {
			func(l *lab) func(*v1alpha1.ValidationRun) {
				return func(r *v1alpha1.ValidationRun) { r.Spec.Benchmarks[0].Name = l.name + "-new" }
			}, `there is no Benchmark "`,
			func(l *lab) { l.create(l.benchmark(l.name + "-new")) }},
		"an unknown suite": {
			func(l *lab) func(*v1alpha1.ValidationRun) {
				return func(r *v1alpha1.ValidationRun) { r.Spec.Benchmarks, r.Spec.Suite = nil, l.name }
			}, "no Benchmark lists the suite",
			func(l *lab) {
				b := l.benchmark(l.name + "-new")
				b.Spec.Suites = []string{l.name}
				l.create(b)
			}},
		"a suite that no benchmark has a label of": {
			func(l *lab) func(*v1alpha1.ValidationRun) {
				return func(r *v1alpha1.ValidationRun) { r.Spec.Benchmarks, r.Spec.Suite = nil, l.name }
			}, "no Benchmark lists the suite",
			func(l *lab) {
				b := &v1alpha1.Benchmark{}
				l.must(api.Get(l.t.Context(), keyOf(l.name), b))
				b.Labels = map[string]string{v1alpha1.LabelSuite + l.name: ""}
				l.must(api.Update(l.t.Context(), b))
			}},
		"a parameter that the benchmark does not have": {
			func(*lab) func(*v1alpha1.ValidationRun) {
				return func(r *v1alpha1.ValidationRun) {
					r.Spec.Benchmarks[0].Parameters = []v1alpha1.ParameterValue{{Name: "size", Value: "1"}}
				}
			}, `has no parameter "size"`,
			func(l *lab) {
				b := &v1alpha1.Benchmark{}
				l.must(api.Get(l.t.Context(), keyOf(l.name), b))
				b.Spec.Parameters = []v1alpha1.ParameterSpec{{Name: "size", Type: v1alpha1.ParameterInteger, Default: "1"}}
				l.must(api.Update(l.t.Context(), b))
			}},
		"an expectation of a metric that the benchmark does not have": {
			func(*lab) func(*v1alpha1.ValidationRun) {
				return func(r *v1alpha1.ValidationRun) {
					r.Spec.Benchmarks[0].Expectations = []v1alpha1.ExpectationOverride{{Metric: "speed", Expectation: v1alpha1.Expectation{Min: "1"}}}
				}
			}, `has no metric "speed"`,
			func(l *lab) {
				b := &v1alpha1.Benchmark{}
				l.must(api.Get(l.t.Context(), keyOf(l.name), b))
				b.Spec.Metrics = append(b.Spec.Metrics, v1alpha1.Metric{Name: "speed", Unit: "m/s"})
				b.Spec.Metrics[0].Name = "rate"
				l.must(api.Update(l.t.Context(), b))
			}},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, 1)
			l.run(c.spec(l))
			l.until("invalid", func() bool { return state(l.get())["Stalled"] != "" })
			run := l.get()
			same(t, "the conditions", invalid, state(run))
			if m := run.Status.Conditions[0].Message; !strings.Contains(m, c.message) {
				t.Errorf("the message is %q, want %q in it", m, c.message)
			}
			same(t, "the events", []string{"Invalid"}, l.events.reasons())
			writes := l.hand.count()
			l.pass()
			same(t, "the writes of another look", writes, l.hand.count())
			c.fix(l)
			run = l.finish()
			if got := state(run)["Finished"]; got != "True/Passed" && got != "True/Inconclusive" {
				t.Errorf("it ended as %s", got)
			}
		})
	}
}

// losePin takes from a run what it was started with, and the Benchmark along with it: only then it cannot go on.
func (l *lab) losePin() {
	l.t.Helper()
	l.must(api.Delete(l.t.Context(), l.benchmark(l.name)))
	l.must(api.Delete(l.t.Context(), &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: l.get().Status.Catalogue.Revision}}))
	l.restart()
}

// TestInvalidEnds: a run that stays invalid is over at its deadline, and the pods it had go, even one that hangs.
func TestInvalidEnds(t *testing.T) {
	t.Parallel()
	for sentence, p := range map[string]program{"its pod goes": {forever: true}, "its pod hangs in a driver": {forever: true, hangs: true}} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, 1)
			l.plays = always(p)
			l.run(func(r *v1alpha1.ValidationRun) { r.Spec.ActiveDeadlineSeconds = new(int64(50)) })
			l.until("running", func() bool { return l.anyPod(corev1.PodRunning) })
			l.losePin()
			begin := l.clock.Now()
			l.until("finished", l.finished)
			if took := l.clock.Now().Sub(begin); took > 50*time.Second+3*time.Minute {
				t.Errorf("it was over only after %s", took)
			}
			run := l.get()
			same(t, "the conditions", map[string]string{"Finished": "True/Invalid", "Succeeded": "False/Invalid", "Stalled": "True/Invalid"}, state(run))
			same(t, "the verdict", v1alpha1.VerdictError, run.Status.Verdict)
			l.pass()
			same(t, "the runs counted", map[string]float64{"Error": 1, "Fail": 0, "Inconclusive": 0, "Pass": 0}, l.runsFinished())
			if pods := l.pods(); len(pods) > 0 && !p.hangs {
				t.Errorf("%d pods are left", len(pods))
			}
		})
	}
}

// runsFinished are the counts of finished runs by verdict, as Prometheus scrapes them.
func (l *lab) runsFinished() map[string]float64 {
	l.t.Helper()
	families, err := l.registry.Gather()
	l.must(err)
	out := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "assay_runs_finished_total" {
				out[m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
			}
		}
	}
	return out
}

// TestSuspendInvalid: suspending a run removes its pods also while its spec cannot be resolved.
func TestSuspendInvalid(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.plays = always(program{forever: true})
	l.run()
	l.until("running", func() bool { return l.anyPod(corev1.PodRunning) })
	l.losePin()
	l.suspend(true)
	l.until("no pod", func() bool { return len(l.pods()) == 0 })
}

// TestBusyNode: devices that others hold are waited for, looked at again and again, and never taken.
func TestBusyNode(t *testing.T) {
	t.Parallel()
	setup := func(t *testing.T, busy v1alpha1.BusyNodes) (*lab, *corev1.Pod) {
		l := newLab(t, 3)
		b := &v1alpha1.Benchmark{}
		l.must(api.Get(t.Context(), keyOf(l.name), b))
		b.Spec.Needs.DeviceResource = "nvidia.com/gpu"
		l.must(api.Update(t.Context(), b))
		devices := corev1.ResourceList{"nvidia.com/gpu": l.getNode("a").Status.Allocatable["nvidia.com/gpu"]}
		other := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: l.name + "-train", Namespace: "default"}, Spec: corev1.PodSpec{NodeName: l.node("a"),
			Containers: []corev1.Container{{Name: "train", Image: "x", Resources: corev1.ResourceRequirements{Requests: devices, Limits: devices}}}}}
		l.create(other)
		l.run(func(r *v1alpha1.ValidationRun) { r.Spec.BusyNodes = busy })
		return l, other
	}
	t.Run("it is waited for", func(t *testing.T) {
		t.Parallel()
		l, other := setup(t, v1alpha1.BusyWait)
		begin := l.clock.Now()
		l.until("the others are done", func() bool { return l.get().Status.Progress == "2/3" && len(l.pods()) == 0 })
		l.until("two minutes have passed", func() bool { return l.clock.Now().Sub(begin) > 2*time.Minute })
		if took := l.clock.Now().Sub(begin); took > 140*time.Second {
			t.Errorf("the node was not looked at for %s", took)
		}
		want := map[string]string{"Finished": "False/Waiting", "Succeeded": "Unknown/Waiting", "Reconciling": "True/Waiting"}
		same(t, "the conditions", want, state(l.get()))
		if m := l.get().Status.Nodes[2].Message; !strings.Contains(m, "train holds 8 nvidia.com/gpu") {
			t.Errorf("the row of the node says %q", m)
		}
		l.must(api.Delete(t.Context(), other, client.GracePeriodSeconds(0)))
		same(t, "the conditions at the end", passed, state(l.finish()))
	})
}

// TestAttemptsAreCounted: Prometheus sees every attempt and how long its program took.
func TestAttemptsAreCounted(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	l.plays = on("a", program{rate: 50, takes: 20 * time.Second})
	l.run()
	l.finish()
	families, err := l.registry.Gather()
	l.must(err)
	got := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			switch f.GetName() {
			case "assay_attempts_total":
				got["attempts"] += m.GetCounter().GetValue()
			case "assay_benchmark_duration_seconds":
				got["durations"] += float64(m.GetHistogram().GetSampleCount())
				got["seconds"] += m.GetHistogram().GetSampleSum()
			}
		}
	}
	// Node a is measured twice, as its first failure has to be confirmed.
	same(t, "what was counted", map[string]float64{"attempts": 3, "durations": 3, "seconds": 20 + 20 + 10}, got)
}

// TestRefusedPodsAreTold: who looks at a run that a quota or an admission policy holds up reads why, and it goes on by itself later.
func TestRefusedPodsAreTold(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.tolerate = apierrors.IsForbidden
	l.hand.before = func(_ int, w write, _ runtime.Object) error {
		if w == "create Pod" {
			return apierrors.NewForbidden(corev1.Resource("pods"), "bench", errors.New("exceeded quota: gpus"))
		}
		return nil
	}
	l.run()
	l.until("told", func() bool { return slices.Contains(l.events.reasons(), v1alpha1.ReasonLaunchFailed) })
	contains(t, "the events", strings.Join(l.events.all(), "; "), "exceeded quota: gpus", "tries again until its deadline")
	l.hand.before = nil
	same(t, "the conditions", passed, state(l.finish()))
}
