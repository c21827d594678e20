package run

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	testclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/test/hand"
)

// changing is a run over nodes a and b, of which a is never as the cache shows it, while it says so.
func changing(t *testing.T, run *v1alpha1.ValidationRun, b *v1alpha1.Benchmark, nodes ...client.Object) (h *hand.Cluster, r *Reconciler, clock *testclock.FakePassiveClock, changes *bool) {
	t.Helper()
	run.Spec.NodeNames = []string{"a", "b"}
	h = hand.New(t, append(nodes, run)...)
	r = reconcilerOf(h)
	clock = testclock.NewFakePassiveClock(begin)
	r.Clock = clock
	r.own = r.objects()
	reads, changes := 0, new(true)
	r.Live = interceptor.NewClient(h, interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
		err := c.Get(ctx, key, o, opts...)
		if n, is := o.(*corev1.Node); is && n.Name == "a" && *changes {
			reads++
			n.Labels = map[string]string{"beat": fmt.Sprint(reads)}
		}
		return err
	}})
	r.own = r.objects()
	r.memoryOf(run).pin = &pin{snapshot: catalogue.Take([]v1alpha1.Benchmark{*b}, nil), stored: true}
	return h, r, clock, changes
}

// TestARunThatCannotBeginEnds (P2): a run names a cordoned node to which something writes all the time, or of which the cache shows nothing new any more.
func TestARunThatCannotBeginEnds(t *testing.T) {
	run, b := newRun()
	node := nodeOf("a")
	node.Spec.Unschedulable = true
	h, r, clock, _ := changing(t, run, b, node, nodeOf("b"))
	took := passes(t.Context(), r, clock, func() bool { return runIn(t, h).Finished() })
	if got := finished(t, h); !strings.HasPrefix(got, "True/Unreadable: ") || !strings.Contains(got, "a differs from what the operator's cache shows: ") {
		t.Errorf("it ends with %q", got)
	}
	if most := observe.Allowed(run) + observe.CleanupGrace + time.Minute; took > most {
		t.Errorf("it took %s", took)
	}
}

// TestANodeThatChangesKeepsNoOther (P10): the kubelet of a node that misses devices writes to it all the time. The other one is measured meanwhile.
func TestANodeThatChangesKeepsNoOther(t *testing.T) {
	run, b := newRun()
	run.Status = startedRun().Status
	b.Spec.Needs.DeviceResource = "nvidia.com/gpu"
	withGPUs := func(name, offered string) *corev1.Node {
		n := nodeOf(name)
		n.Status.Capacity = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}
		n.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse(offered)}
		return n
	}
	h, r, clock, changes := changing(t, run, b, withGPUs("a", "7"), withGPUs("b", "8"))
	r.memoryOf(run).short = map[observe.Short]time.Time{{Node: "a", Resource: "nvidia.com/gpu", Offered: 7}: begin.Add(-5 * time.Minute)}
	judged := func() bool {
		return h.Get(t.Context(), client.ObjectKey{Name: v1alpha1.ResultName(run, "a")}, &v1alpha1.ValidationResult{}) == nil
	}
	pass := func() {
		again, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Name: "run"}})
		if err != nil || again.RequeueAfter > time.Second {
			t.Errorf("it looks again after %s, error %v", again.RequeueAfter, err)
		}
		clock.SetTime(clock.Now().Add(time.Second))
	}
	if pass(); holds(t, h) != 1 || judged() {
		t.Errorf("there are %d pods, and a is judged: %v; it wrote %q", holds(t, h), judged(), h.Writes)
	}
	*changes = false
	if _, _ = r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Name: "run"}}); !judged() {
		t.Errorf("a stands still, and is not judged; it wrote %q", h.Writes)
	}
}
