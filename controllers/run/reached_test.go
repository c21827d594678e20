package run

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/test/hand"
)

// TestANodeThatIsBackIsWaitedFor (P3): a deleted run waits for its pod on a node that has joined, or is back, although the cache does not show that.
func TestANodeThatIsBackIsWaitedFor(t *testing.T) {
	for sentence, get := range map[string]func(*corev1.Node) error{
		"it has joined": func(*corev1.Node) error {
			return apierrors.NewNotFound(corev1.Resource("nodes"), "a")
		},
		"it is back": func(n *corev1.Node) error {
			n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown, LastTransitionTime: metav1.NewTime(begin.Add(-time.Hour))}}
			return nil
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			run := startedRun()
			run.DeletionTimestamp = &metav1.Time{Time: begin}
			pod := podNamed("p")
			pod.OwnerReferences, pod.Spec.NodeName = workload.OwnedBy(run), "a"
			pod.DeletionTimestamp, pod.Finalizers = &metav1.Time{Time: begin}, []string{"kubelet"}
			h := hand.New(t, run, nodeOf("a"), pod)
			r := reconcilerOf(h)
			r.Client = interceptor.NewClient(h, interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
				err := c.Get(ctx, key, o, opts...)
				if n, is := o.(*corev1.Node); is && err == nil {
					return get(n)
				}
				return err
			}})
			r.own = r.objects()
			again, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Name: "run"}})
			if runIn(t, h) == nil || err != nil || again.RequeueAfter == 0 {
				t.Errorf("the run is gone, and its pod is not: %v, error %v; it wrote %q", runIn(t, h) == nil, err, h.Writes)
			}
		})
	}
}
