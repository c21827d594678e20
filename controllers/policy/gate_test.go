package policy

import (
	"context"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/test/hand"
)

// TestAGateStaysClosedWhileARunThatTheCacheHasNotSeenMeasuresTheNode: the cache is behind.
func TestAGateStaysClosedWhileARunThatTheCacheHasNotSeenMeasuresTheNode(t *testing.T) {
	for sentence, c := range map[string]struct{ exists, seen bool }{"there is none": {}, "it is seen": {true, true}, "it is not seen yet": {true, false}} {
		t.Run(sentence, func(t *testing.T) {
			fleet := validFleet(t, 1)
			node := &fleet.nodes[0]
			node.Spec.Taints = []corev1.Taint{{Key: v1alpha1.DefaultGateKey, Effect: corev1.TaintEffectNoSchedule}}
			objects := []client.Object{fleet.policy, node, &fleet.validations[0]}
			for i := range fleet.benchmarks {
				objects = append(objects, &fleet.benchmarks[i])
			}
			if c.exists {
				run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: "by-hand", UID: "by-hand"},
					Spec: v1alpha1.ValidationRunSpec{NodeNames: []string{node.Name}, Suite: "quick"}}
				run.Status.StartTime = &metav1.Time{Time: node.CreationTimestamp.Time}
				objects = append(objects, run)
			}
			for _, o := range objects {
				o.SetResourceVersion("")
			}
			cluster := hand.New(t, objects...)
			cached := interceptor.NewClient(cluster, interceptor.Funcs{List: func(ctx context.Context, all client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
				if _, runs := list.(*v1alpha1.ValidationRunList); runs && !c.seen {
					return nil
				}
				return all.List(ctx, list, opts...)
			}})
			r := &Reconciler{Client: cached, Live: cluster, Recorder: silent{}, Clock: clock.RealClock{}, Metrics: metrics.New(prometheus.NewRegistry())}
			for range 3 {
				if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: fleet.policy.Name}}); err != nil {
					t.Fatal(err)
				}
			}
			is := &corev1.Node{}
			if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(node), is); err != nil {
				t.Fatal(err)
			}
			if closed := len(is.Spec.Taints) > 0; closed != c.exists {
				t.Errorf("the gate is closed: %v, want %v", closed, c.exists)
			}
		})
	}
}
