package run

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/test/hand"
)

// TestManyThatAreLeftOutAreNotReadOneByOne: a run names, or selects, many nodes, and all are cordoned. That they are is seen in lists, and the cache is
// behind for three passes where one has just been uncordoned, or joined.
func TestManyThatAreLeftOutAreNotReadOneByOne(t *testing.T) {
	current := func(*corev1.NodeList) {}
	cordoned := func(nodes *corev1.NodeList) {
		nodes.Items[0].Spec.Unschedulable, nodes.Items[0].ResourceVersion = true, "1"
	}
	byName := func(r *v1alpha1.ValidationRun, names []string) { r.Spec.NodeNames = names }
	byLabels := func(r *v1alpha1.ValidationRun, _ []string) {
		r.Spec.NodeNames, r.Spec.Selector = nil, &metav1.LabelSelector{MatchLabels: map[string]string{"pool": "x"}}
	}
	for sentence, c := range map[string]struct {
		of       func(*v1alpha1.ValidationRun, []string)
		old      func(*corev1.NodeList)
		cordoned bool // the first as well
		measured int
		looks    looks
	}{
		"by their names":                          {byName, current, true, 0, looks{lists: 1}},
		"by their labels":                         {byLabels, current, true, 0, looks{lists: 2}},
		"by their names, and one was uncordoned":  {byName, cordoned, false, 1, looks{lists: 4, gets: 3}},
		"by their labels, and one was uncordoned": {byLabels, cordoned, false, 1, looks{lists: 7, gets: 3}},
		"by their names, and one has joined":      {byName, unseen, false, 1, looks{lists: 4, gets: 3}},
	} {
		t.Run(sentence, func(t *testing.T) {
			run, b := newRun()
			var names []string
			objects := []client.Object{run}
			for i := range 2 * fewNodes {
				n := labelled(fmt.Sprintf("n%03d", i))
				n.Spec.Unschedulable = i > 0 || c.cordoned
				names, objects = append(names, n.Name), append(objects, n)
			}
			c.of(run, names)
			h := hand.New(t, objects...)
			r := reconcilerOf(h)
			clock := testclock.NewFakePassiveClock(begin)
			pass, looked := 0, looks{}
			r.Clock, r.Live = clock, looked.at(h)
			r.Client = interceptor.NewClient(h, interceptor.Funcs{List: func(ctx context.Context, inner client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
				err := inner.List(ctx, list, opts...)
				if nodes, is := list.(*corev1.NodeList); is && pass < 3 {
					c.old(nodes)
				}
				return err
			}})
			r.memoryOf(run).pin = &pin{snapshot: catalogue.Take([]v1alpha1.Benchmark{*b}, nil), stored: true}
			for ; pass < 10 && !runIn(t, h).Finished() && holds(t, h) == 0; pass++ {
				if _, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Name: "run"}}); err != nil {
					t.Fatal(err)
				}
				clock.SetTime(clock.Now().Add(500 * time.Millisecond))
			}
			if measured := holds(t, h); measured != c.measured || looked != c.looks {
				t.Errorf("it measures %d nodes after %+v, and wrote %q; want %d after %+v", measured, looked, h.Writes, c.measured, c.looks)
			}
		})
	}
}
