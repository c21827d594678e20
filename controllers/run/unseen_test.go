package run

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/test/hand"
)

// TestPodsThatTheCacheHasNotSeen (P3): the cache of pods stands still while a program runs on node a. No run ends, and none that is deleted goes, before its pod.
func TestPodsThatTheCacheHasNotSeen(t *testing.T) {
	for sentence, end := range map[string]func(h *hand.Cluster, run *v1alpha1.ValidationRun, clock *testclock.FakePassiveClock) error{
		"its time is over": func(_ *hand.Cluster, run *v1alpha1.ValidationRun, clock *testclock.FakePassiveClock) error {
			clock.SetTime(run.Status.StartTime.Add(601 * time.Second))
			return nil
		},
		"it is deleted": func(h *hand.Cluster, run *v1alpha1.ValidationRun, _ *testclock.FakePassiveClock) error {
			return h.Delete(context.Background(), run)
		},
		"its node is cordoned": func(h *hand.Cluster, _ *v1alpha1.ValidationRun, _ *testclock.FakePassiveClock) error {
			node := nodeOf("a")
			node.Spec.Unschedulable = true
			return h.Update(context.Background(), node)
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			run, b := newRun()
			run.Status = startedRun().Status
			pod := podNamed(workload.PodName(run.UID, "uid-a", "stream", 1))
			pod.Labels, pod.OwnerReferences = map[string]string{v1alpha1.LabelRunUID: string(run.UID), v1alpha1.LabelBenchmark: "stream"}, workload.OwnedBy(run)
			pod.CreationTimestamp, pod.Spec.NodeName, pod.Status.Phase = metav1.NewTime(begin), "a", corev1.PodRunning
			h := hand.New(t, run, nodeOf("a"), pod)
			r := reconcilerOf(h)
			clock := testclock.NewFakePassiveClock(begin.Add(10 * time.Second))
			r.Clock = clock
			r.Client = interceptor.NewClient(h, interceptor.Funcs{List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
				if _, pods := list.(*corev1.PodList); pods {
					return nil
				}
				return c.List(ctx, list, opts...)
			}})
			r.own = r.objects()
			r.memoryOf(run).pin = &pin{snapshot: catalogue.Take([]v1alpha1.Benchmark{*b}, nil), stored: true}
			if err := end(h, run, clock); err != nil {
				t.Fatal(err)
			}
			ends := func() bool { is := runIn(t, h); return is == nil || is.Finished() }
			there := func() bool {
				return !apierrors.IsNotFound(h.Get(t.Context(), client.ObjectKeyFromObject(pod), &corev1.Pod{}))
			}
			h.Refuse = func(write string) error { // it takes its time to go
				if write == "delete uid-"+pod.Name+" of Pod "+pod.Name || write == "delete  of Pod "+pod.Name {
					return hand.ErrDown
				}
				return nil
			}
			for range 5 {
				if _, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Name: "run"}}); err != nil {
					t.Log(err)
				}
				if ends() && there() {
					t.Fatalf("the run is over, and its pod is there; it wrote %q", h.Writes)
				}
				clock.SetTime(clock.Now().Add(time.Second))
			}
			h.Refuse = nil
			if passes(t.Context(), r, clock, ends); !ends() || there() {
				t.Errorf("the run is over: %v, and the pod is there: %v; it wrote %q", ends(), there(), h.Writes)
			}
		})
	}
}
