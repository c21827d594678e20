package policy

import (
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/test/hand"
)

// TestALabelThatIsTakenAwayAtOnceComesBack: somebody, or something, removes it so soon that the cache never shows it, and nothing else happens.
func TestALabelThatIsTakenAwayAtOnceComesBack(t *testing.T) {
	fleet, clock := validFleet(t, 1), clocktesting.NewFakePassiveClock(time.Now())
	fleet.policy.Spec.Suspend = true
	objects := []client.Object{fleet.policy, &fleet.nodes[0]}
	for i := range fleet.benchmarks {
		objects = append(objects, &fleet.benchmarks[i])
	}
	for _, o := range objects {
		o.SetResourceVersion("")
	}
	cluster := hand.New(t, objects...) // in which no label stays
	r := &Reconciler{Client: cluster, Live: cluster, Recorder: silent{}, Clock: clock, Metrics: metrics.New(prometheus.NewRegistry())}
	for end := clock.Now().Add(3 * time.Minute); clock.Now().Before(end); {
		again, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: fleet.policy.Name}})
		if err != nil {
			t.Fatal(err)
		}
		if again.RequeueAfter == 0 {
			break
		}
		clock.SetTime(clock.Now().Add(again.RequeueAfter))
	}
	labelled := len(slices.DeleteFunc(cluster.Writes, func(write string) bool { return write != "apply status of Node" }))
	if labelled < 2 {
		t.Errorf("the node was labelled %d times, and nobody looks again", labelled)
	}
}
