package run

import (
	"context"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/test/hand"
)

// newRun is one over node a that was just created, by STREAM.
func newRun() (*v1alpha1.ValidationRun, *v1alpha1.Benchmark) {
	run := startedRun()
	run.CreationTimestamp, run.Status.StartTime, run.Spec.Benchmarks = metav1.NewTime(begin), nil, []v1alpha1.BenchmarkRef{{Name: "stream"}}
	b := &v1alpha1.Benchmark{Spec: v1alpha1.BenchmarkSpec{TimeoutSeconds: 60, Image: "bench:1", Metrics: []v1alpha1.Metric{{Name: "triad", Unit: "GB/s"}}}}
	b.Name = "stream"
	return run, b
}

// TestANodeThatTheCacheHasNotSeen (P9) has just joined, or was just labelled or uncordoned, and then a run over it was created. The cache has the run first.
func TestANodeThatTheCacheHasNotSeen(t *testing.T) {
	byName := func(*v1alpha1.ValidationRun) {}
	withAnother := func(r *v1alpha1.ValidationRun) { r.Spec.NodeNames = []string{"a", "b"} }
	byLabels := func(r *v1alpha1.ValidationRun) {
		r.Spec.NodeNames, r.Spec.Selector = nil, &metav1.LabelSelector{MatchLabels: map[string]string{"pool": "x"}}
	}
	for sentence, c := range map[string]struct {
		edit func(*v1alpha1.ValidationRun)
		old  func(*corev1.NodeList)
	}{
		"joined, by its name":                 {byName, unseen},
		"joined, by its name, beside another": {withAnother, unseen},
		"joined, by its labels":               {byLabels, unseen},
		"labelled":                            {byLabels, unlabelled},
		"uncordoned, by its name":             {byName, func(list *corev1.NodeList) { list.Items[0].Spec.Unschedulable = true }},
		"uncordoned, by its labels":           {byLabels, func(list *corev1.NodeList) { list.Items[0].Spec.Unschedulable = true }},
		"released by Kubernetes, by its labels": {byLabels, func(list *corev1.NodeList) {
			list.Items[0].Spec.Taints = []corev1.Taint{{Key: "node-role.kubernetes.io/control-plane"}}
		}},
	} {
		t.Run(sentence, func(t *testing.T) {
			run, b := newRun()
			c.edit(run)
			node := nodeOf("a")
			node.Labels = map[string]string{"pool": "x"}
			h := hand.New(t, run, node, nodeOf("b"))
			r := reconcilerOf(h)
			clock := testclock.NewFakePassiveClock(begin)
			r.Clock = clock
			r.own = r.objects()
			behind := true
			r.Client = interceptor.NewClient(h, interceptor.Funcs{List: func(ctx context.Context, inner client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
				err := inner.List(ctx, list, opts...)
				if nodes, is := list.(*corev1.NodeList); is && behind {
					c.old(nodes)
				}
				return err
			}})
			r.own = r.objects()
			r.memoryOf(run).pin = &pin{snapshot: catalogue.Take([]v1alpha1.Benchmark{*b}, nil), stored: true}
			measured := func() bool { return holds(t, h) == max(len(run.Spec.NodeNames), 1) }
			for pass := 0; pass < 10 && !measured(); pass++ {
				behind = pass < 3
				if _, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Name: "run"}}); err != nil {
					t.Fatal(err)
				}
				clock.SetTime(clock.Now().Add(500 * time.Millisecond))
			}
			if !measured() {
				t.Errorf("the node is not measured; the run is over: %q; it wrote %q", finished(t, h), h.Writes)
			}
		})
	}
}

// unseen: the cache has still to see the first node. unlabelled: it has the node as it was before it was labelled.
func unseen(list *corev1.NodeList) { list.Items = list.Items[1:] }

func unlabelled(list *corev1.NodeList) {
	list.Items[0].Labels, list.Items[0].ResourceVersion = nil, "1"
}

// TestARunIsPinnedToTheCatalogueThatIsThere (P9): somebody applies a Benchmark with another image, or a new one, and then the run, in one file. The cache has the run
// first.
func TestARunIsPinnedToTheCatalogueThatIsThere(t *testing.T) {
	for sentence, old := range map[string]func(*v1alpha1.BenchmarkList){
		"replaced": func(all *v1alpha1.BenchmarkList) { all.Items[0].Spec.Image = "bench:0" },
		"new":      func(all *v1alpha1.BenchmarkList) { all.Items = nil },
	} {
		t.Run(sentence, func(t *testing.T) {
			run, b := newRun()
			h := hand.New(t, run, nodeOf("a"), b)
			r := reconcilerOf(h)
			r.Client = interceptor.NewClient(h, interceptor.Funcs{List: func(ctx context.Context, inner client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
				err := inner.List(ctx, list, opts...)
				if all, is := list.(*v1alpha1.BenchmarkList); is {
					old(all)
				}
				return err
			}})
			r.own = r.objects()
			if _, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Name: "run"}}); err != nil {
				t.Fatal(err)
			}
			pinned := &appsv1.ControllerRevision{}
			if err := h.Get(t.Context(), client.ObjectKey{Namespace: "bench", Name: pinName(run)}, pinned); err != nil || !strings.Contains(string(pinned.Data.Raw), "bench:1") {
				t.Errorf("the run is pinned to %s (%v); its conditions are %+v", pinned.Data.Raw, err, runIn(t, h).Status.Conditions)
			}
		})
	}
}

// TestARunSaysWhatCannotBeReadLive (P2): a node misses devices, and nobody can read past the cache whether it still does.
func TestARunSaysWhatCannotBeReadLive(t *testing.T) {
	run, b := newRun()
	b.Spec.Needs.DeviceResource = "nvidia.com/gpu"
	node := nodeOf("a")
	node.Status.Capacity = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}
	node.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("7")}
	h := hand.New(t, run, node)
	r := reconcilerOf(h)
	clock := testclock.NewFakePassiveClock(begin)
	r.Clock = clock
	r.Live = interceptor.NewClient(h, interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
		if _, isNode := o.(*corev1.Node); isNode {
			return unreadable["forbidden"]
		}
		return c.Get(ctx, key, o, opts...)
	}})
	r.own = r.objects()
	r.memoryOf(run).pin = &pin{snapshot: catalogue.Take([]v1alpha1.Benchmark{*b}, nil), stored: true}
	stalled := func() *metav1.Condition {
		return meta.FindStatusCondition(runIn(t, h).Status.Conditions, v1alpha1.ConditionStalled)
	}
	passes(t.Context(), r, clock, func() bool { return stalled() != nil || runIn(t, h).Finished() })
	if c := stalled(); c == nil || c.Reason != v1alpha1.ReasonUnreadable || !strings.Contains(c.Message, "getting node a: ") || clock.Since(begin) > 10*time.Minute {
		t.Errorf("after %s its conditions are %+v", clock.Since(begin), runIn(t, h).Status.Conditions)
	}
}
