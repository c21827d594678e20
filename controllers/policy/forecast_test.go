package policy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/forecast"
	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/operate/policy"
)

// begun is what a policy does first.
type begun struct {
	At   time.Time
	Runs []string // reason and nodes
}

// What is foreseen of a policy begins as the operator begins, whatever the cluster is like: here its controller makes its passes, by a clock that
// goes to where each pass wants the next one.
func TestAForecastBeginsAsTheOperatorDoes(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	until, ran := now.Add(10*24*time.Hour), 0
	for seed := range uint64(80) {
		in := randomCluster(t, rand.New(rand.NewPCG(seed, 5)), now)
		want := begins(t, in, now, until)
		var got begun
		for _, run := range forecast.New(in, now, until).Runs {
			if got.At.IsZero() {
				got.At = run.At
			}
			if run.At.Equal(got.At) {
				got.Runs = append(got.Runs, run.Reason+" "+strings.Join(run.Nodes, " "))
			}
		}
		slices.Sort(got.Runs)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("cluster %d: (-operator +forecast)\n%s", seed, diff)
		}
		if len(want.Runs) > 0 {
			ran++
		}
	}
	if ran < 50 {
		t.Errorf("the operator created runs in %d clusters: too few to say anything", ran)
	}
}

// begins enforces a policy until it has created runs.
func begins(t *testing.T, in forecast.Input, now, until time.Time) begun {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, corev1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	objects := []client.Object{in.Policy.DeepCopy()}
	for i := range in.Nodes {
		objects = append(objects, in.Nodes[i].DeepCopy())
	}
	for i := range in.Validations {
		objects = append(objects, in.Validations[i].DeepCopy())
	}
	for i := range in.Benchmarks {
		objects = append(objects, in.Benchmarks[i].DeepCopy())
	}
	api := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithStatusSubresource(&v1alpha1.ValidationPolicy{}).
		WithIndex(&corev1.Pod{}, "spec.nodeName", func(o client.Object) []string { return []string{o.(*corev1.Pod).Spec.NodeName} }).
		WithIndex(&v1alpha1.ValidationPolicy{}, "metadata.name", func(o client.Object) []string { return []string{o.GetName()} }).Build()
	clock := clocktesting.NewFakePassiveClock(now)
	r := &Reconciler{Client: api, Live: api, Recorder: silent{}, Clock: clock, Metrics: metrics.New(prometheus.NewRegistry())}
	for before := 0; !clock.Now().After(until); {
		result, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: in.Policy.Name}})
		if err != nil {
			t.Fatal(err)
		}
		var runs v1alpha1.ValidationRunList
		if err := api.List(t.Context(), &runs); err != nil {
			t.Fatal(err)
		}
		if created := len(runs.Items) - before; created > 0 { // which wakes the controller up
			before += created
			continue
		}
		if before > 0 {
			b := begun{At: clock.Now()}
			for _, run := range runs.Items {
				b.Runs = append(b.Runs, run.Labels[v1alpha1.LabelPolicyReason]+" "+strings.Join(run.Spec.NodeNames, " "))
			}
			slices.Sort(b.Runs)
			return b
		}
		if result.RequeueAfter == 0 {
			break
		}
		clock.SetTime(clock.Now().Add(result.RequeueAfter))
	}
	return begun{}
}

// randomCluster with a policy, of which nodes have passed, failed, or were never measured.
func randomCluster(t *testing.T, r *rand.Rand, now time.Time) forecast.Input {
	t.Helper()
	in := forecast.Input{Benchmarks: []v1alpha1.Benchmark{
		benchmark("gemm", 90, v1alpha1.Needs{DeviceResource: "nvidia.com/gpu"}), benchmark("stream", 15, v1alpha1.Needs{}),
		benchmark("p2p", 60, v1alpha1.Needs{DeviceResource: "nvidia.com/gpu", MinDevices: new(int32(2))})}}
	if r.IntN(2) == 0 {
		pairs := benchmark("allreduce", 180, v1alpha1.Needs{DeviceResource: "nvidia.com/gpu"})
		pairs.Spec.Scope, pairs.Spec.Group = v1alpha1.ScopeGroup, &v1alpha1.Group{Size: intstr.FromInt32(2)}
		in.Benchmarks = append(in.Benchmarks, pairs)
	}
	in.Policy = randomPolicy(r, now)
	resolved, err := policy.Resolve(&in.Policy.Spec, in.Benchmarks)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1 + r.IntN(8) {
		n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("node-", i), UID: types.UID(fmt.Sprint("uid-", i, "-", r.IntN(1000))),
			CreationTimestamp: metav1.NewTime(now.Add(-time.Duration(r.IntN(72)) * time.Hour)), Labels: map[string]string{"pool": []string{"a", "b"}[r.IntN(2)]}}}
		devices := resource.MustParse([]string{"0", "1", "8", "8", "8"}[r.IntN(5)])
		n.Status.Allocatable, n.Status.Capacity = corev1.ResourceList{"nvidia.com/gpu": devices}, corev1.ResourceList{"nvidia.com/gpu": devices}
		n.Status.NodeInfo.BootID = "boot"
		ready := []corev1.ConditionStatus{corev1.ConditionTrue, corev1.ConditionTrue, corev1.ConditionTrue, corev1.ConditionFalse}[r.IntN(4)]
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready, LastTransitionTime: metav1.NewTime(now.Add(-time.Hour))}}
		n.Spec.Unschedulable = r.IntN(8) == 0
		if r.IntN(3) == 0 {
			n.Spec.Taints = []corev1.Taint{{Key: v1alpha1.DefaultGateKey, Value: "pending", Effect: corev1.TaintEffectNoSchedule}}
		}
		in.Nodes = append(in.Nodes, n)
		if v := randomPast(r, &n, resolved, now); v != nil {
			in.Validations = append(in.Validations, *v)
		}
	}
	return in
}

func benchmark(name string, cost int32, needs v1alpha1.Needs) v1alpha1.Benchmark {
	b := v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: name}}
	b.Spec.Suites, b.Spec.Image, b.Spec.Command, b.Spec.CostSeconds, b.Spec.Needs = []string{"quick"}, "bench:1", []string{name}, cost, needs
	b.Spec.Metrics = []v1alpha1.Metric{{Name: "throughput"}}
	return b
}

func randomPolicy(r *rand.Rand, now time.Time) *v1alpha1.ValidationPolicy {
	p := &v1alpha1.ValidationPolicy{ObjectMeta: metav1.ObjectMeta{Name: "pool", UID: "policy", Generation: 1, CreationTimestamp: metav1.NewTime(now)}}
	p.Spec = v1alpha1.ValidationPolicySpec{AllNodes: true, Suite: "quick", OverdueSeconds: 86400, Retry: v1alpha1.Retry{AfterSeconds: 3600},
		RevalidateOn: []v1alpha1.Change{v1alpha1.ChangeDriver, v1alpha1.ChangeDevices}}
	if r.IntN(2) == 0 {
		p.Spec.AllNodes, p.Spec.Selector = false, metav1.LabelSelector{MatchLabels: map[string]string{"pool": "a"}}
	}
	if r.IntN(2) == 0 {
		p.Spec.ValidForSeconds = new([]int64{86400, 3 * 86400, 7 * 86400}[r.IntN(3)])
	}
	if r.IntN(2) == 0 {
		p.Spec.Schedule, p.Spec.StartingDeadlineSeconds = "0 2 * * *", new(int64(7200))
	}
	if r.IntN(2) == 0 {
		p.Spec.Gate = &v1alpha1.Gate{Taint: v1alpha1.GateTaint{Key: v1alpha1.DefaultGateKey, Value: "pending", Effect: corev1.TaintEffectNoSchedule}, TimeoutSeconds: 3600}
	}
	if r.IntN(2) == 0 {
		p.Spec.BatchSeconds = new(int32(r.IntN(600)))
	}
	if r.IntN(4) == 0 {
		p.Spec.Overrides = []v1alpha1.BenchmarkRef{{Name: "gemm", Expectations: []v1alpha1.ExpectationOverride{{Metric: "throughput", Expectation: v1alpha1.Expectation{Min: "4"}}}}}
	}
	return p
}

// randomPast of a node: it has passed or failed by all benchmarks of the suite some time ago; nil: it was never measured.
func randomPast(r *rand.Rand, n *corev1.Node, asked []policy.Benchmark, now time.Time) *v1alpha1.NodeValidation {
	if r.IntN(3) == 0 {
		return nil
	}
	at := metav1.NewTime(now.Add(-time.Duration(1+r.IntN(90)) * time.Hour))
	verdict := []v1alpha1.Verdict{v1alpha1.VerdictPass, v1alpha1.VerdictPass, v1alpha1.VerdictFail}[r.IntN(3)]
	j := nodevalidation.Judgement{Node: n, Run: v1alpha1.ObjectReference{Name: "before", UID: "before"}, Time: at, Benchmarks: map[string]nodevalidation.Benchmark{},
		Result: &v1alpha1.ValidationResult{Verdict: verdict, Node: v1alpha1.ObjectReference{Name: n.Name, UID: n.UID}}}
	for i := range asked {
		b := asked[i].Object
		machine := nodevalidation.MachineOf(n, b.Spec.Needs.DeviceResource, "")
		j.Benchmarks[b.Name] = nodevalidation.Benchmark{Asked: asked[i].Asked, DeviceResource: b.Spec.Needs.DeviceResource}
		j.Result.Benchmarks = append(j.Result.Benchmarks, v1alpha1.BenchmarkResult{Name: b.Name, Verdict: verdict, Reason: v1alpha1.ReasonMeasured,
			Attempts: []v1alpha1.Attempt{{Number: 1, Verdict: verdict, LaunchTime: &at, Machine: &machine}}})
	}
	v := nodevalidation.Next(nodevalidation.Known{}, j).Validation
	v.Name = n.Name
	return v
}
