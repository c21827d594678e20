package admission_test

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/assay-dev/assay/api/v1alpha1"
	runs "github.com/assay-dev/assay/controllers/run"
	"github.com/assay-dev/assay/internal/metrics"
	"github.com/assay-dev/assay/internal/result"
	"github.com/assay-dev/assay/internal/workload"
)

// TestTheOperatorsRightsSuffice: with the rights of config/rbac and under all policies, the operator takes a run from its start to its
// deletion.
func TestTheOperatorsRightsSuffice(t *testing.T) {
	manage(t)
	node := newNode("measured")
	create(t, admin, node)
	patch(t, "system:node:measured", node, func(n *corev1.Node) {
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}}
	})
	benchmark := &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: "rate"}, Spec: v1alpha1.BenchmarkSpec{
		Description: "a number", Image: "registry.example/rate:1", Command: []string{"rate"}, TimeoutSeconds: 60, CostSeconds: 1,
		Output:  v1alpha1.Output{Format: v1alpha1.FormatAssay},
		Metrics: []v1alpha1.Metric{{Name: "rate", Unit: "GB/s", Headline: true, Expectation: &v1alpha1.Expectation{Min: "50"}}}}}
	create(t, admin, benchmark)
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: "rights"}, Spec: v1alpha1.ValidationRunSpec{
		NodeNames: []string{node.Name}, Benchmarks: []v1alpha1.BenchmarkRef{{Name: benchmark.Name}}}}
	create(t, admin, run)

	pod := &corev1.Pod{}
	see(t, "a benchmark pod", func() bool {
		var pods corev1.PodList
		err := api.List(t.Context(), &pods, client.InNamespace(namespace), client.MatchingLabels{v1alpha1.LabelRunUID: string(run.UID)})
		if err == nil && len(pods.Items) == 1 {
			*pod = pods.Items[0]
		}
		return pod.Name != ""
	})
	play(t, pod, node.Name)
	see(t, "the run to pass", func() bool {
		return api.Get(t.Context(), client.ObjectKeyFromObject(run), run) == nil && meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionSucceeded)
	})
	see(t, "the node's label", func() bool {
		return api.Get(t.Context(), client.ObjectKeyFromObject(node), node) == nil && node.Labels[v1alpha1.LabelVerdict] == "passed"
	})
	see(t, "what is known of the node", func() bool {
		return api.Get(t.Context(), client.ObjectKey{Name: node.Name}, &v1alpha1.NodeValidation{}) == nil
	})
	see(t, "an event", func() bool {
		var events eventsv1.EventList
		return api.List(t.Context(), &events) == nil && len(events.Items) > 0
	})
	if err := api.Delete(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	see(t, "the run to go", func() bool {
		// There is no kubelet that confirms the pod's end.
		_ = client.IgnoreNotFound(api.Delete(t.Context(), pod, client.GracePeriodSeconds(0)))
		return apierrors.IsNotFound(api.Get(t.Context(), client.ObjectKeyFromObject(run), run))
	})
}

// manage starts the operator as its service account.
func manage(t *testing.T) {
	t.Helper()
	mgr, err := ctrl.NewManager(impersonated(operator), ctrl.Options{
		Scheme: scheme, Metrics: server.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Cache: cache.Options{ByObject: map[client.Object]cache.ByObject{&corev1.Pod{}: {Namespaces: map[string]cache.Config{namespace: {}}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &runs.Reconciler{Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Recorder: mgr.GetEventRecorder("assay"), Clock: clock.RealClock{},
		Settings: workload.Settings{Namespace: namespace, RunnerImage: "registry.example/runner:1"}, Metrics: metrics.New(prometheus.NewRegistry())}
	if err := r.SetupWithManager(mgr, 1); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the manager stopped: %v", err)
		}
	})
}

// play is scheduler and kubelet of a pod, whose program measures 100.
func play(t *testing.T, pod *corev1.Pod, node string) {
	t.Helper()
	binding := &corev1.Binding{Target: corev1.ObjectReference{Kind: "Node", Name: node}}
	if err := as("system:kube-scheduler").SubResource("binding").Create(t.Context(), pod, binding); err != nil {
		t.Fatal(err)
	}
	if err := api.Get(t.Context(), client.ObjectKeyFromObject(pod), pod); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	message, err := result.Encode(result.Envelope{Version: result.EnvelopeVersion, Outcome: result.OutcomeMeasured, Reason: v1alpha1.ReasonMeasured, Start: now, End: now,
		Document: &result.Document{Schema: result.Schema, Benchmark: "rate", Version: "1", Checks: []result.Check{{Name: "data", OK: true}},
			Measurements: []result.Measurement{{Name: "rate", Unit: "GB/s", Better: result.BetterHigher, Parts: []result.Part{{At: result.NodePart, Value: 100}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	patch(t, "system:node:"+node, pod, func(p *corev1.Pod) {
		p.Status = corev1.PodStatus{Phase: corev1.PodSucceeded, ContainerStatuses: []corev1.ContainerStatus{{Name: workload.ProgramContainer,
			Image: "registry.example/rate:1", ImageID: "registry.example/rate@sha256:1",
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Message: message, StartedAt: metav1.NewTime(now), FinishedAt: metav1.NewTime(now)}}}}}
	})
}

// patch writes a status as a user.
func patch[T client.Object](t *testing.T, user string, o T, change func(T)) {
	t.Helper()
	before := o.DeepCopyObject().(T)
	change(o)
	if err := as(user).Status().Patch(t.Context(), o, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
}

func see(t *testing.T, what string, is func() bool) {
	t.Helper()
	if err := await(t.Context(), is); err != nil {
		t.Fatalf("waited %s for %s", patience, what)
	}
}
