package policy

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/operate/policy"
)

// cached is the cache of a cluster in which nothing happens. The status that a pass writes is kept.
type cached struct {
	client.Client
	policy      *v1alpha1.ValidationPolicy
	benchmarks  []v1alpha1.Benchmark
	nodes       []corev1.Node
	validations []v1alpha1.NodeValidation
	writes      int
}

func (c *cached) Get(_ context.Context, _ client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	c.policy.DeepCopyInto(o.(*v1alpha1.ValidationPolicy))
	return nil
}

func (c *cached) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	switch l := list.(type) {
	case *v1alpha1.ValidationPolicyList:
		l.Items = []v1alpha1.ValidationPolicy{*c.policy}
	case *v1alpha1.BenchmarkList:
		l.Items = c.benchmarks
	}
	return nil
}

// objects of the cache.
func (c *cached) objects() objects {
	nodes, validations := toolscache.NewStore(toolscache.MetaNamespaceKeyFunc), toolscache.NewStore(toolscache.MetaNamespaceKeyFunc)
	for i := range c.nodes {
		_ = nodes.Add(&c.nodes[i])
		_ = validations.Add(&c.validations[i])
	}
	return objects{controllers.Stored[*corev1.Node](nodes), controllers.Stored[*v1alpha1.NodeValidation](validations)}
}

func (c *cached) Status() client.SubResourceWriter { return statusOf{c} }

type statusOf struct{ *cached }

func (s statusOf) Create(context.Context, client.Object, client.Object, ...client.SubResourceCreateOption) error {
	return nil
}
func (s statusOf) Update(context.Context, client.Object, ...client.SubResourceUpdateOption) error {
	return nil
}
func (s statusOf) Apply(context.Context, runtime.ApplyConfiguration, ...client.SubResourceApplyOption) error {
	return nil
}
func (s statusOf) Patch(_ context.Context, o client.Object, _ client.Patch, _ ...client.SubResourcePatchOption) error {
	s.writes++
	s.policy = o.(*v1alpha1.ValidationPolicy).DeepCopy()
	return nil
}

// validFleet is a cluster of nodes that hold a valid pass of 14 benchmarks.
func validFleet(tb testing.TB, nodes int) *cached {
	tb.Helper()
	now := time.Now()
	c := &cached{policy: &v1alpha1.ValidationPolicy{ObjectMeta: metav1.ObjectMeta{Name: "h200", UID: "policy", ResourceVersion: "1", Generation: 1}}}
	c.policy.Spec = v1alpha1.ValidationPolicySpec{AllNodes: true, Suite: "quick", ValidForSeconds: new(int64(604800)), OverdueSeconds: 86400,
		RevalidateOn: []v1alpha1.Change{v1alpha1.ChangeDriver, v1alpha1.ChangeDevices}, Gate: &v1alpha1.Gate{TimeoutSeconds: 3600}}
	for i := range 14 {
		b := v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("benchmark-", i)}}
		b.Spec.Suites, b.Spec.Needs.DeviceResource, b.Spec.Image = []string{"quick"}, "nvidia.com/gpu", "i"
		c.benchmarks = append(c.benchmarks, b)
	}
	resolved, err := policy.Resolve(&c.policy.Spec, c.benchmarks)
	if err != nil {
		tb.Fatal(err)
	}
	for i := range nodes {
		n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("node-", i), UID: types.UID(fmt.Sprint("uid-", i)), ResourceVersion: "7",
			CreationTimestamp: metav1.NewTime(now.Add(-240 * time.Hour)), Labels: map[string]string{}}}
		for k := range 60 {
			n.Labels[fmt.Sprint("feature.node.kubernetes.io/cpu-", k)] = "true"
		}
		n.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8"), "cpu": resource.MustParse("192")}
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		v := v1alpha1.NodeValidation{ObjectMeta: metav1.ObjectMeta{Name: n.Name, ResourceVersion: "8"}, Verdict: v1alpha1.VerdictPass,
			Fingerprint: v1alpha1.Fingerprint{NodeUID: n.UID}}
		for k := range resolved {
			machine := nodevalidation.MachineOf(&n, resolved[k].Object.Spec.Needs.DeviceResource, "")
			v.Benchmarks = append(v.Benchmarks, v1alpha1.BenchmarkState{Name: resolved[k].Object.Name, Verdict: v1alpha1.VerdictPass,
				History: []v1alpha1.HistoryEntry{{Run: "r", RunUID: "r", Verdict: v1alpha1.VerdictPass, Asked: resolved[k].Asked, Machine: &machine,
					Time: metav1.NewTime(now.Add(-time.Duration(i) * time.Second))}}})
		}
		c.nodes, c.validations = append(c.nodes, n), append(c.validations, v)
	}
	return c
}

type silent struct{}

func (silent) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {}

// BenchmarkPass is what one changed node costs: a pass over a policy of 10,000 nodes.
func BenchmarkPass(b *testing.B) {
	c := validFleet(b, 10_000)
	r := &Reconciler{Client: c, Recorder: silent{}, Clock: clock.RealClock{}, Metrics: metrics.New(prometheus.NewRegistry()), cached: c.objects()}
	pass := func() {
		if _, err := r.Reconcile(b.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: c.policy.Name}}); err != nil {
			b.Fatal(err)
		}
	}
	pass()
	pass()
	if got := c.policy.Status.Valid; got != "10000/10000" || c.writes != 1 {
		b.Fatalf("%s nodes are valid, after %d writes", got, c.writes)
	}
	b.ReportAllocs()
	for b.Loop() {
		pass()
	}
}
