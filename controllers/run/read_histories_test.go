package run

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers/quarantine"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
	"github.com/assay-dev/assay/test/hand"
)

// TestHistoriesAreReadForThoseWhoNeedThem: of few nodes one by one, of a large part of the cluster by lists, and a node that has none is
// told from one that was not read.
func TestHistoriesAreReadForThoseWhoNeedThem(t *testing.T) {
	for _, c := range []struct{ nodes, cluster, gets, lists int32 }{{3, 3, 3, 0}, {60, 60, 0, 1}, {60, 239, 0, 1}, {60, 240, 60, 0}, {300, 300, 0, 1}} {
		h := hand.New(t)
		var live []client.Object
		var names []string
		for i := range int(c.nodes) {
			name := fmt.Sprintf("node-%02d", i)
			names = append(names, name)
			history := &v1alpha1.NodeHistory{}
			history.Name = name
			if i > 0 {
				live = append(live, history)
			}
		}
		var gets, lists atomic.Int32
		reader := interceptor.NewClient(fake.NewClientBuilder().WithScheme(h.Scheme()).WithObjects(live...).Build(), interceptor.Funcs{
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
				gets.Add(1)
				return c.Get(ctx, key, o, opts...)
			},
			List: func(ctx context.Context, c client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
				lists.Add(1)
				return c.List(ctx, l, opts...)
			},
		})
		r := &Reconciler{Live: reader, nodes: &quarantine.Keeper{Live: reader}, recent: recentwrites.New(testclock.NewFakePassiveClock(begin))}
		p := &pass{run: startedRun(), in: observe.Input{Nodes: make([]*corev1.Node, c.cluster)}}
		read := histories{}
		err := r.eachHistories(t.Context(), p, names, (*v1alpha1.NodeHistory).DeepCopy, func(some histories) {
			if len(some) > historiesAtOnce {
				t.Errorf("%d histories are in memory at once", len(some))
			}
			for name, h := range some {
				read[name] = h
			}
		})
		if none, ok := read[names[0]]; err != nil || len(read) != len(names) || !ok || none != nil {
			t.Errorf("error %v; of %d nodes %d histories are read, and of the one that has none %v", err, len(names), len(read), none)
		}
		if gets.Load() != c.gets || lists.Load() != c.lists {
			t.Errorf("%d nodes of %d: %d are read by themselves, %d lists", c.nodes, c.cluster, gets.Load(), lists.Load())
		}
	}
}
