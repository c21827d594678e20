package run

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/test/hand"
)

// TestARunThatIsNotWhatItWasStartsNoMorePods (P8): somebody deletes it, Kubernetes deletes its pods, and the cache shows it for minutes.
func TestARunThatIsNotWhatItWasStartsNoMorePods(t *testing.T) {
	namesake, changed := startedRun(), startedRun()
	namesake.UID = "another-uid"
	changed.Spec.Suspend = true
	for sentence, next := range map[string][]client.Object{
		"it is gone":               nil,
		"another one has its name": {namesake},
		"it was suspended":         {changed},
	} {
		t.Run(sentence, func(t *testing.T) {
			run, b := newRun()
			run.Status, run.Finalizers, run.ResourceVersion = startedRun().Status, []string{v1alpha1.FinalizerCleanup}, "1"
			h := hand.New(t, append(next, nodeOf("a"))...)
			r := reconcilerOf(h)
			r.Client = interceptor.NewClient(h, interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
				if old, is := o.(*v1alpha1.ValidationRun); is {
					run.DeepCopyInto(old)
					return nil
				}
				return c.Get(ctx, key, o, opts...)
			}})
			r.own = r.objects()
			made := func(fails bool) int {
				r.memoryOf(run).pin = &pin{snapshot: catalogue.Take([]v1alpha1.Benchmark{*b}, nil), stored: true}
				_, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Name: "run"}})
				if (err != nil) != fails {
					t.Fatal(err)
				}
				var pods corev1.PodList
				if err := h.List(t.Context(), &pods); err != nil {
					t.Fatal(err)
				}
				for i := range pods.Items {
					r.recent.Gone(pods.Items[i].UID) // as the cache sees
					if err := h.Delete(t.Context(), &pods.Items[i]); err != nil {
						t.Fatal(err)
					}
				}
				return strings.Count(strings.Join(h.Writes, "\n"), "create Pod")
			}
			if n := made(len(next) > 0); n != 1 {
				t.Fatalf("it starts %d pods, want one: %q", n, h.Writes)
			}
			if n := made(false); n != 1 {
				t.Errorf("it starts %d pods although it is not what it was: %q", n, h.Writes)
			}
		})
	}
}
