package chart_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	runs "github.com/assay-dev/assay/controllers/run"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// validation is a run of the chart's catalogue over one node, and the operator at work on it with the rights that the chart gives it.
type validation struct {
	t         *testing.T
	namespace string
	node      *corev1.Node
	run       *v1alpha1.ValidationRun
	operator  *runs.Reconciler
}

// cached reads what the operator reads through its cache, for which it has no right to get; what it writes and reads live goes by its own.
type cached struct{ client.Client }

func (cached) Get(ctx context.Context, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
	return api.Get(ctx, key, o, opts...)
}

func (cached) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	return api.List(ctx, list, opts...)
}

type noEvents struct{}

func (noEvents) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {}

// restart puts a new operator in the place of the old one, as an upgrade does.
func (v *validation) restart() {
	v.t.Helper()
	c := as(v.t, operator)
	v.operator = &runs.Reconciler{Client: cached{c}, Live: c, Recorder: noEvents{}, Clock: clock.RealClock{}, Policy: taint.Policy{MaxPercent: 100},
		Settings: workload.Settings{Namespace: v.namespace, RunnerImage: "registry.example/runner:1"}, Metrics: metrics.New(prometheus.NewRegistry())}
}

// until lets the operator look again and again.
func (v *validation) until(what string, is func() bool) {
	v.t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(v.t.Context(), 20*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		_, last = v.operator.Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(v.run)})
		v.must(api.Get(v.t.Context(), client.ObjectKeyFromObject(v.run), v.run))
		return is(), nil
	})
	if err != nil {
		v.t.Fatalf("waited %s for %s; the last pass: %v; the run: %+v", patience, what, last, v.run.Status.Conditions)
	}
}

func (v *validation) must(err error) {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
}

// pod of an attempt, once it is there.
func (v *validation) pod(attempt string) *corev1.Pod {
	v.t.Helper()
	var found *corev1.Pod
	v.until("the pod of attempt "+attempt, func() bool {
		var pods corev1.PodList
		v.must(api.List(v.t.Context(), &pods, client.InNamespace(v.namespace), client.MatchingLabels{v1alpha1.LabelRunUID: string(v.run.UID)}))
		for i := range pods.Items {
			if pods.Items[i].Annotations[v1alpha1.AnnotationAttempt] == attempt {
				found = &pods.Items[i]
			}
		}
		return found != nil
	})
	return found
}

// play is scheduler and kubelet of a pod, whose program measures 5 GB/s.
func (v *validation) play(pod *corev1.Pod) {
	v.t.Helper()
	binding := &corev1.Binding{Target: corev1.ObjectReference{Kind: "Node", Name: v.node.Name}}
	v.must(as(v.t, "system:kube-scheduler").SubResource("binding").Create(v.t.Context(), pod, binding))
	v.must(api.Get(v.t.Context(), client.ObjectKeyFromObject(pod), pod))
	now := time.Now()
	message, err := result.Encode(result.Envelope{Version: result.EnvelopeVersion, Outcome: result.OutcomeMeasured, Reason: v1alpha1.ReasonMeasured, Start: now, End: now,
		Document: &result.Document{Schema: result.Schema, Benchmark: "stream", Version: "1", Checks: []result.Check{{Name: "data", OK: true}},
			Measurements: []result.Measurement{{Name: "triad", Unit: "GB/s", Better: result.BetterHigher, Parts: []result.Part{{At: result.NodePart, Value: 5}}}}}})
	v.must(err)
	before := pod.DeepCopy()
	pod.Status = corev1.PodStatus{Phase: corev1.PodSucceeded, ContainerStatuses: []corev1.ContainerStatus{{Name: workload.ProgramContainer,
		Image: pod.Spec.Containers[0].Image, ImageID: pod.Spec.Containers[0].Image + "@sha256:1", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			Message: message, StartedAt: metav1.NewTime(now), FinishedAt: metav1.NewTime(now)}}}}}
	v.must(as(v.t, "system:node:"+v.node.Name).Status().Patch(v.t.Context(), pod, client.MergeFrom(before)))
}

// end of a pod, as its kubelet confirms it once the operator has deleted it.
func (v *validation) end(pod *corev1.Pod) {
	v.t.Helper()
	v.until("the pod to be deleted", func() bool {
		err := api.Get(v.t.Context(), client.ObjectKeyFromObject(pod), pod)
		return client.IgnoreNotFound(err) == nil && (err != nil || pod.DeletionTimestamp != nil)
	})
	v.must(client.IgnoreNotFound(api.Delete(v.t.Context(), pod, client.GracePeriodSeconds(0))))
}

// attempts stored, each as its verdict by the rules.
func (v *validation) attempts() []v1alpha1.Attempt {
	v.t.Helper()
	var results v1alpha1.ValidationResultList
	v.must(api.List(v.t.Context(), &results, client.MatchingLabels{v1alpha1.LabelRunUID: string(v.run.UID)}))
	if len(results.Items) == 0 || len(results.Items[0].Benchmarks) == 0 {
		return nil
	}
	return results.Items[0].Benchmarks[0].Attempts
}

// begin starts a run of stream that expects more of a node than it measures.
func begin(t *testing.T, benchmarks string) *validation {
	t.Helper()
	v := &validation{t: t, namespace: benchmarks, node: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "measured"}}}
	v.must(api.Create(t.Context(), v.node))
	v.node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}}
	v.must(api.Status().Update(t.Context(), v.node))
	v.run = newRun(v1alpha1.Taint{Key: v1alpha1.DefaultTaintKey, Value: "failed", Effect: corev1.TaintEffectNoSchedule})
	v.run.Spec.NodeNames, v.run.Spec.Suite = []string{v.node.Name}, ""
	v.run.Spec.Benchmarks = []v1alpha1.BenchmarkRef{{Name: "stream", Expectations: []v1alpha1.ExpectationOverride{{Metric: "triad", Expectation: v1alpha1.Expectation{Min: "10"}}}}}
	v.must(api.Create(t.Context(), v.run))
	v.restart()
	return v
}

// TestUpgradeInMidRun: an upgrade deletes the Benchmarks of the catalogue and makes them anew, of another image. A run that has measured a
// node once confirms that by what it was started with, and ends as it would have.
func TestUpgradeInMidRun(t *testing.T) {
	const benchmarks = "bench-of-runs"
	upgrade(t, release, namespace, "benchmarks.namespace="+benchmarks, "catalogue.images.cpu=r.example/cpu:1")
	v := begin(t, benchmarks)
	first := v.pod("1")
	v.play(first)
	v.until("the first attempt to be stored", func() bool { return len(v.attempts()) == 1 })
	stored := v.attempts()[0]

	upgrade(t, release, namespace, "benchmarks.namespace="+benchmarks, "catalogue.images.cpu=r.example/cpu:2")
	changed := &v1alpha1.Benchmark{}
	v.must(api.Get(t.Context(), client.ObjectKey{Name: "stream"}, changed))
	if changed.Spec.Image != "r.example/cpu:2" {
		t.Fatalf("the upgrade left the catalogue at image %s", changed.Spec.Image)
	}
	v.restart()
	v.end(first)
	second := v.pod("2")
	for i, pod := range []*corev1.Pod{first, second} {
		if image := pod.Spec.Containers[0].Image; image != "r.example/cpu:1" {
			t.Errorf("attempt %d ran image %s, want the one that the run was started with", i+1, image)
		}
	}
	v.play(second)
	v.until("the second attempt to be stored", func() bool { return len(v.attempts()) == 2 })
	v.end(second)
	v.until("the run to end", func() bool { return meta.IsStatusConditionTrue(v.run.Status.Conditions, v1alpha1.ConditionFinished) })

	attempts := v.attempts()
	if len(attempts) != 2 || attempts[0].PodUID != stored.PodUID || attempts[0].Configuration != attempts[1].Configuration {
		t.Errorf("attempts %+v, want the one that was stored before the upgrade, %+v, and another one like it", attempts, stored)
	}
	if c := meta.FindStatusCondition(v.run.Status.Conditions, v1alpha1.ConditionFinished); c.Reason != v1alpha1.ReasonNodesFailed {
		t.Errorf("the run ended with %s: %s", c.Reason, c.Message)
	}
	v.must(api.Get(t.Context(), client.ObjectKeyFromObject(v.node), v.node))
	want := corev1.Taint{Key: v1alpha1.DefaultTaintKey, Value: "failed", Effect: corev1.TaintEffectNoSchedule}
	if !hasTaint(v.node, want) || v.node.Labels[v1alpha1.LabelVerdict] != "failed" {
		t.Errorf("the node has taints %v and label %q", v.node.Spec.Taints, v.node.Labels[v1alpha1.LabelVerdict])
	}
}

func hasTaint(n *corev1.Node, want corev1.Taint) bool {
	for _, t := range n.Spec.Taints {
		if fmt.Sprint(t.Key, t.Value, t.Effect) == fmt.Sprint(want.Key, want.Value, want.Effect) {
			return true
		}
	}
	return false
}
