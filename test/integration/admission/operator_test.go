package admission_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/controllers/devicerules"
	policies "github.com/assay-dev/assay/controllers/policy"
	runs "github.com/assay-dev/assay/controllers/run"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// TestTheOperatorsRightsSuffice: with the rights of config/rbac and under all policies, the operator takes a run from its start to its
// deletion.
func TestTheOperatorsRightsSuffice(t *testing.T) {
	manage(t)
	node := newNode("measured")
	joins(t, node)
	benchmark := rate("rate")
	create(t, admin, benchmark)
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: "rights"}, Spec: v1alpha1.ValidationRunSpec{
		NodeNames: []string{node.Name}, Benchmarks: []v1alpha1.BenchmarkRef{{Name: benchmark.Name}}}}
	create(t, admin, run)

	pod := podOf(t, run)
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

// TestTheOperatorsRightsSufficeForPolicies: with the same rights it lets a new node in, asks who uses its devices, and deletes the run that it
// created.
func TestTheOperatorsRightsSufficeForPolicies(t *testing.T) {
	manage(t)
	benchmark := rate("rate-of-new-nodes")
	benchmark.Spec.Needs.DeviceResource = "nvidia.com/gpu"
	create(t, admin, benchmark)
	p := &v1alpha1.ValidationPolicy{ObjectMeta: metav1.ObjectMeta{Name: "new-nodes"}, Spec: v1alpha1.ValidationPolicySpec{
		Selector: metav1.LabelSelector{MatchLabels: map[string]string{"pool": "new"}}, Benchmarks: []v1alpha1.BenchmarkRef{{Name: benchmark.Name}},
		BatchSeconds: new(int32(0)), Gate: &v1alpha1.Gate{}, SuccessfulRunsHistoryLimit: new(int32(0))}}
	create(t, admin, p)
	node := newNode("admitted")
	node.Labels = map[string]string{"pool": "new"}
	node.Spec.Taints = []corev1.Taint{{Key: v1alpha1.DefaultGateKey, Value: "pending", Effect: corev1.TaintEffectNoSchedule}}
	joins(t, node)
	slice := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: node.Name}, Spec: resourcev1.ResourceSliceSpec{Driver: "gpu.nvidia.com", NodeName: &node.Name,
		Pool:    resourcev1.ResourcePool{Name: node.Name, ResourceSliceCount: 1},
		Devices: []resourcev1.Device{{Name: "gpu-0", Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"type": {StringValue: new("gpu")}}}}}}
	create(t, admin, slice)
	uses(t, node)

	var list v1alpha1.ValidationRunList
	ofPolicy := client.MatchingLabels{v1alpha1.LabelPolicy: p.Name}
	see(t, "a run of the policy", func() bool { return api.List(t.Context(), &list, ofPolicy) == nil && len(list.Items) == 1 })
	pod := podOf(t, &list.Items[0])
	var templates resourcev1.ResourceClaimTemplateList
	if err := api.List(t.Context(), &templates, client.InNamespace(namespace)); err != nil || len(templates.Items) != 1 || len(pod.Spec.ResourceClaims) != 1 {
		t.Errorf("templates %+v, and the pod claims %+v: %v", templates.Items, pod.Spec.ResourceClaims, err)
	}
	play(t, pod, node.Name)
	see(t, "the gate to open", func() bool {
		return api.Get(t.Context(), client.ObjectKeyFromObject(node), node) == nil && node.Annotations[v1alpha1.AnnotationGate] != "" &&
			!slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == v1alpha1.DefaultGateKey })
	})
	see(t, "the run to go", func() bool {
		_ = client.IgnoreNotFound(api.Delete(t.Context(), pod, client.GracePeriodSeconds(0)))
		return api.List(t.Context(), &list, ofPolicy) == nil && len(list.Items) == 0
	})
	see(t, "no template to be left", func() bool {
		return api.List(t.Context(), &templates, client.InNamespace(namespace)) == nil && len(templates.Items) == 0
	})
	see(t, "the policy to be satisfied", func() bool {
		return api.Get(t.Context(), client.ObjectKeyFromObject(p), p) == nil && meta.IsStatusConditionTrue(p.Status.Conditions, v1alpha1.ConditionSatisfied)
	})
}

// TestTheOperatorsRightsSufficeForDevices: with the same rights it taints a device, changes the taint, and lifts it.
func TestTheOperatorsRightsSufficeForDevices(t *testing.T) {
	if !served(t) {
		t.Skip("the API server has no DeviceTaintRules: Kubernetes 1.37 and later do")
	}
	manage(t)
	node := newNode("eight-gpus")
	create(t, admin, node)
	create(t, admin, &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: node.Name}, Spec: resourcev1.ResourceSliceSpec{Driver: "gpu.nvidia.com", NodeName: &node.Name,
		Pool: resourcev1.ResourcePool{Name: node.Name, ResourceSliceCount: 1}, Devices: []resourcev1.Device{{Name: "gpu-0",
			Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"type": {StringValue: new("gpu")}, "uuid": {StringValue: new("GPU-0")}}}}}})
	marks := func(value string) {
		before := node.DeepCopy()
		node.Annotations = nil
		if value != "" {
			node.Annotations = map[string]string{v1alpha1.AnnotationQuarantine: taint.MarkOf(&v1alpha1.Quarantine{ID: "q", Key: v1alpha1.DefaultTaintKey, Value: value,
				Effect: corev1.TaintEffectNoSchedule, Devices: []string{"GPU-0"}})}
		}
		if err := as(operator).Patch(t.Context(), node, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
	}
	for _, value := range []string{"failed", "again", ""} {
		marks(value)
		see(t, "the rule to say "+value, func() bool {
			var rules resourcev1.DeviceTaintRuleList
			err := api.List(t.Context(), &rules)
			return err == nil && (value == "" && len(rules.Items) == 0 || len(rules.Items) == 1 && rules.Items[0].Spec.Taint.Value == value)
		})
	}
}

// uses devices of a node by a claim that nothing is allocated to, as a pod of somebody else does: the operator has to look at it.
func uses(t *testing.T, node *corev1.Node) {
	t.Helper()
	claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "theirs", Namespace: "default"}, Spec: resourcev1.ResourceClaimSpec{
		Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{Name: "gpu", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu.nvidia.com"}}}}}}
	create(t, admin, claim)
	create(t, admin, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "theirs", Namespace: "default"}, Spec: corev1.PodSpec{NodeName: node.Name,
		Containers:     []corev1.Container{{Name: "c", Image: "registry.example/theirs:1", Resources: corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "gpu"}}}}},
		ResourceClaims: []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimName: &claim.Name}}}})
}

// rate is a benchmark that expects 50 GB/s.
func rate(name string) *v1alpha1.Benchmark {
	return &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.BenchmarkSpec{
		Description: "a number", Image: "registry.example/rate:1", Command: []string{"rate"}, TimeoutSeconds: 60, CostSeconds: 1,
		Output:  v1alpha1.Output{Format: v1alpha1.FormatAssay},
		Metrics: []v1alpha1.Metric{{Name: "rate", Unit: "GB/s", Headline: true, Expectation: &v1alpha1.Expectation{Min: "50"}}}}}
}

// joins creates a node that is Ready and has 8 GPUs.
func joins(t *testing.T, node *corev1.Node) {
	t.Helper()
	create(t, admin, node)
	node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeNotReady })
	if err := as("system:serviceaccount:kube-system:node-controller").Update(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	patch(t, "system:node:"+node.Name, node, func(n *corev1.Node) {
		n.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}}
	})
}

// podOf a run.
func podOf(t *testing.T, run *v1alpha1.ValidationRun) *corev1.Pod {
	t.Helper()
	pod := &corev1.Pod{}
	see(t, "a benchmark pod", func() bool {
		var pods corev1.PodList
		err := api.List(t.Context(), &pods, client.InNamespace(namespace), client.MatchingLabels{v1alpha1.LabelRunUID: string(run.UID)})
		if err == nil && len(pods.Items) == 1 {
			*pod = pods.Items[0]
		}
		return pod.Name != ""
	})
	return pod
}

// manage starts the operator as its service account.
func manage(t *testing.T) {
	t.Helper()
	mgr, err := ctrl.NewManager(impersonated(operator), ctrl.Options{
		Scheme: scheme, Metrics: server.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Controller: ctrlconfig.Controller{SkipNameValidation: new(true)},
		Cache:      cache.Options{ByObject: map[client.Object]cache.ByObject{&corev1.Pod{}: {Namespaces: map[string]cache.Config{namespace: {}}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	devices := &controllers.Devices{Reader: mgr.GetClient(), Live: mgr.GetAPIReader(), Rules: true}
	r := &runs.Reconciler{Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Recorder: mgr.GetEventRecorder("assay"), Clock: clock.RealClock{}, Devices: devices,
		Settings: workload.Settings{Namespace: namespace, RunnerImage: "registry.example/runner:1"}, Metrics: metrics.New(prometheus.NewRegistry())}
	if err := r.SetupWithManager(mgr, 1); err != nil {
		t.Fatal(err)
	}
	p := &policies.Reconciler{Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Recorder: mgr.GetEventRecorder("assay"), Clock: clock.RealClock{},
		Metrics: metrics.New(prometheus.NewRegistry()), Devices: devices}
	if err := p.SetupWithManager(mgr); err != nil {
		t.Fatal(err)
	}
	if served(t) {
		d := &devicerules.Reconciler{Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Recorder: mgr.GetEventRecorder("assay"), Devices: devices}
		if err := d.SetupWithManager(mgr); err != nil {
			t.Fatal(err)
		}
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
		Document: &result.Document{Schema: result.Schema, Benchmark: pod.Labels[v1alpha1.LabelBenchmark], Version: "1", Checks: []result.Check{{Name: "data", OK: true}},
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
