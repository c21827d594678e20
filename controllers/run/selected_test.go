package run

import (
	"context"
	"strconv"
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

// looks at nodes past the cache.
type looks struct{ lists, gets int }

func (l *looks) at(h *hand.Cluster) client.Reader {
	return interceptor.NewClient(h, interceptor.Funcs{
		List: func(ctx context.Context, inner client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if _, is := list.(*metav1.PartialObjectMetadataList); is {
				l.lists++
			}
			return inner.List(ctx, list, opts...)
		},
		Get: func(ctx context.Context, inner client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if _, is := o.(*corev1.Node); is {
				l.gets++
			}
			return inner.Get(ctx, key, o, opts...)
		},
	})
}

// labelled is a node that the run selects.
func labelled(name string) *corev1.Node {
	n := nodeOf(name)
	n.Labels = map[string]string{"pool": "x"}
	return n
}

// TestARunStartsWithAllNodesThatItSelects (P9), and looks for them by one list, however many there are. The cache is behind for three passes. Nodes that are
// labelled while the run waits do not keep it.
func TestARunStartsWithAllNodesThatItSelects(t *testing.T) {
	current := func(*corev1.NodeList) {}
	driver := func(list *corev1.NodeList) { list.Items[0].Labels = nil } // of the version that the API server has
	for sentence, c := range map[string]struct {
		old             func(*corev1.NodeList)
		cordoned, churn bool
		started         bool // by its status alone: it was resumed, and told what kept it from its start
		nodes           int32
		looks           looks
	}{
		"the cache has both":                    {current, false, false, false, 2, looks{lists: 1}},
		"joined":                                {unseen, false, false, false, 2, looks{lists: 4}},
		"joined, beside one that is cordoned":   {unseen, true, false, false, 2, looks{lists: 4}},
		"labelled":                              {unlabelled, false, false, false, 2, looks{lists: 4}},
		"labelled, beside one that is cordoned": {unlabelled, true, false, false, 2, looks{lists: 4}},
		"labelled, as others are at any time":   {unlabelled, false, true, false, 2, looks{lists: 4}},
		"labelled, after it was resumed":        {unlabelled, false, false, true, 2, looks{lists: 4}},
		"by its driver it has another label":    {driver, false, false, false, 1, looks{lists: 1}},
	} {
		t.Run(sentence, func(t *testing.T) {
			run, b := newRun()
			run.Spec.NodeNames, run.Spec.Selector = nil, &metav1.LabelSelector{MatchLabels: map[string]string{"pool": "x"}}
			if c.started {
				run.Status.StartTime = &run.CreationTimestamp
			}
			other := labelled("b")
			other.Spec.Unschedulable = c.cordoned
			h := hand.New(t, run, labelled("a"), other)
			r := reconcilerOf(h)
			clock := testclock.NewFakePassiveClock(begin)
			pass, looked := 0, looks{}
			r.Clock, r.Live = clock, looked.at(h)
			r.Client = interceptor.NewClient(h, interceptor.Funcs{List: func(ctx context.Context, inner client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
				err := inner.List(ctx, list, opts...)
				if nodes, is := list.(*corev1.NodeList); is {
					if nodes.Items = nodes.Items[:2]; pass < 3 {
						c.old(nodes)
					}
				}
				return err
			}})
			r.own = r.objects()
			r.memoryOf(run).pin = &pin{snapshot: catalogue.Take([]v1alpha1.Benchmark{*b}, nil), stored: !c.started}
			for ; pass < 10 && runIn(t, h).Status.Summary == nil; pass++ {
				if _, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Name: "run"}}); err != nil {
					t.Fatal(err)
				}
				clock.SetTime(clock.Now().Add(500 * time.Millisecond))
				if c.churn {
					if err := h.Create(t.Context(), labelled("node-"+strconv.Itoa(pass))); err != nil {
						t.Fatal(err)
					}
				}
			}
			if sum := runIn(t, h).Status.Summary; sum == nil || sum.Nodes != c.nodes || looked != c.looks {
				t.Errorf("it starts with %+v, after %+v; want %d nodes after %+v", sum, looked, c.nodes, c.looks)
			}
		})
	}
}
