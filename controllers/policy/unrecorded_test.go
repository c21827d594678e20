package policy

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/test/hand"
)

// TestNoGateOpensAfterAFailureThatCouldNotBeRecorded: the API server took no NodeValidation for as long as the run went on, so that only its row tells of it.
func TestNoGateOpensAfterAFailureThatCouldNotBeRecorded(t *testing.T) {
	for sentence, c := range map[string]struct {
		verdict v1alpha1.Verdict
		began   time.Duration
		opens   bool
	}{
		"it failed":                                {v1alpha1.VerdictFail, time.Minute, false},
		"nothing could judge it":                   {v1alpha1.VerdictInconclusive, time.Minute, false},
		"it could not be measured":                 {v1alpha1.VerdictError, time.Minute, true},
		"the node that had the name before failed": {v1alpha1.VerdictFail, -time.Minute, true},
	} {
		t.Run(sentence, func(t *testing.T) {
			fleet, clock := validFleet(t, 1), clocktesting.NewFakePassiveClock(time.Now())
			node := &fleet.nodes[0]
			node.Spec.Taints = []corev1.Taint{{Key: v1alpha1.DefaultGateKey, Effect: corev1.TaintEffectNoSchedule}}
			node.Spec.Unschedulable = true // so that no run comes
			fleet.policy.Spec.Gate.OnTimeout = v1alpha1.OnTimeoutOpen
			run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: "run", UID: "run"}, Spec: v1alpha1.ValidationRunSpec{NodeNames: []string{node.Name}}}
			run.Status.StartTime = &metav1.Time{Time: node.CreationTimestamp.Add(c.began)}
			run.Status.Nodes = []v1alpha1.NodeRow{{Name: node.Name, Verdict: c.verdict}}
			run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionFinished, Status: metav1.ConditionTrue}}
			objects := []client.Object{fleet.policy, node, run}
			for i := range fleet.benchmarks {
				objects = append(objects, &fleet.benchmarks[i])
			}
			for _, o := range objects {
				o.SetResourceVersion("")
			}
			cluster := hand.New(t, objects...)
			r := &Reconciler{Client: cluster, Live: cluster, Recorder: silent{}, Clock: clock, Metrics: metrics.New(prometheus.NewRegistry())}
			for range 3 {
				if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: fleet.policy.Name}}); err != nil {
					t.Fatal(err)
				}
				clock.SetTime(clock.Now().Add(time.Hour + time.Minute))
			}
			is := &corev1.Node{}
			if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(node), is); err != nil {
				t.Fatal(err)
			}
			if opened := len(is.Spec.Taints) == 0; opened != c.opens {
				t.Errorf("the gate was opened: %v, want %v", opened, c.opens)
			}
		})
	}
}
