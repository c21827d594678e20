package policy

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/time/rate"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/internal/operate/policy"
	"github.com/assay-dev/assay/test/hand"
)

// TestBudgetOfLooks: as many as one pass may ask for at once, and five a second after that, however often passes come.
func TestBudgetOfLooks(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	looks := rate.NewLimiter(looksPerSecond, policy.MaxLooks)
	for _, step := range []struct {
		what        string
		after       time.Duration
		asked, want int
	}{
		{"at first", 0, policy.MaxLooks, policy.MaxLooks},
		{"at once again", 0, policy.MaxLooks, 0},
		{"half a second later", 500 * time.Millisecond, policy.MaxLooks, 2},
		{"as much later", 500 * time.Millisecond, policy.MaxLooks, 3},
		{"no more than are asked for", 2 * time.Second, 4, 4},
		{"what was left then", 0, policy.MaxLooks, 6},
		{"hours later", 5 * time.Hour, 2 * policy.MaxLooks, policy.MaxLooks},
		{"the clock is set back", -time.Hour, 10, 0},
		{"and goes on", 2 * time.Second, 50, 10},
	} {
		now = now.Add(step.after)
		if got := take(looks, step.asked, now); got != step.want {
			t.Errorf("%s: %d looks, want %d", step.what, got, step.want)
		}
	}
}

// TestLooksAreForgotten also where no node is looked at any more.
func TestLooksAreForgotten(t *testing.T) {
	c := validFleet(t, 2)
	r := &Reconciler{Client: c, Recorder: silent{}, Clock: clock.RealClock{}, Metrics: metrics.New(prometheus.NewRegistry()), cached: c.objects()}
	pass := func() {
		if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: c.policy.Name}}); err != nil {
			t.Fatal(err)
		}
	}
	pass()
	looks := r.memories[c.policy.Name].looks
	looks["gone"] = policy.Look{At: time.Now().Add(-keepLook - time.Second)}
	looks["uid-0"] = policy.Look{At: time.Now()}
	pass()
	if _, kept := looks["uid-0"]; !kept || len(looks) != 1 {
		t.Errorf("these looks are left: %v", looks)
	}
}

// TestAPodOfABenchmarkHoldsItsNode: its run was deleted, and it hangs.
func TestAPodOfABenchmarkHoldsItsNode(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "gemm", Namespace: "assay-benchmarks", Labels: map[string]string{v1alpha1.LabelBenchmark: "gemm"}}}
	pod.Spec.NodeName = "node-0"
	pod.Spec.Containers = []corev1.Container{{Name: "gemm", Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}}}}
	c := validFleet(t, 2)
	s := policy.Snapshot{Benchmarks: []policy.Benchmark{{Object: &c.benchmarks[0]}}}
	for i := range c.nodes {
		s.Nodes = append(s.Nodes, policy.Node{Object: &c.nodes[i]})
	}
	w := &pass{Reconciler: &Reconciler{Live: hand.New(t, pod)}, memory: &memory{looks: map[types.UID]policy.Look{}}, snapshot: s}
	if err := w.look(t.Context(), []string{"node-0", "node-1"}); err != nil {
		t.Fatal(err)
	}
	if held, idle := s.Nodes[0].Look.Busy, s.Nodes[1].Look.Busy; held == "" || idle != "" {
		t.Errorf("what holds the nodes: %q and %q, want the pod, and nothing", held, idle)
	}
}
