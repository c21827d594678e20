package run

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
)

// TestHistoriesAreReadForThoseWhoNeedThem: of few nodes one by one, of a large part of the cluster by lists, and of all of them once.
func TestHistoriesAreReadForThoseWhoNeedThem(t *testing.T) {
	for _, c := range []struct{ nodes, cluster, gets, lists int32 }{{3, 3, 3, 0}, {60, 60, 0, 1}, {60, 239, 0, 1}, {60, 240, 60, 0}} {
		nodes := int(c.nodes)
		h := newHand(t)
		var cached, live []client.Object
		var names []string
		for i := range nodes {
			name := fmt.Sprintf("node-%02d", i)
			names = append(names, name)
			for _, to := range []struct {
				objects *[]client.Object
				uid     types.UID
			}{{&cached, assess.TrimmedUID}, {&live, types.UID(name)}} {
				v := &v1alpha1.NodeValidation{}
				v.Name, v.UID, v.ResourceVersion = name, to.uid, "7"
				*to.objects = append(*to.objects, v)
			}
		}
		var gets, lists atomic.Int32
		reader := interceptor.NewClient(fake.NewClientBuilder().WithScheme(h.scheme).WithObjects(live...).Build(), interceptor.Funcs{
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
				gets.Add(1)
				return c.Get(ctx, key, o, opts...)
			},
			List: func(ctx context.Context, c client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
				lists.Add(1)
				return c.List(ctx, l, opts...)
			},
		})
		r := &Reconciler{Client: fake.NewClientBuilder().WithScheme(h.scheme).WithObjects(cached...).Build(), Live: reader, recent: recentwrites.New(testclock.NewFakePassiveClock(begin))}
		p := &pass{run: startedRun(), in: assess.Input{Nodes: make([]*corev1.Node, c.cluster)}}
		var err error
		if p.in.Validations, err = r.readValidations(t.Context(), names); err != nil || len(p.in.Validations) != nodes || gets.Load()+lists.Load() > 0 {
			t.Fatalf("error %v; of %d nodes %d are known, and %d requests were made ahead", err, nodes, len(p.in.Validations), gets.Load()+lists.Load())
		}
		for range 2 {
			if err := r.readHistories(t.Context(), p, names); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range names {
			if assess.Trimmed(p.in.Validations[name]) {
				t.Errorf("%s still lacks its history", name)
			}
		}
		if gets.Load() != c.gets || (lists.Load() == 0) != (c.lists == 0) {
			t.Errorf("%d nodes of %d: %d are read by themselves, %d lists", nodes, c.cluster, gets.Load(), lists.Load())
		}
	}
}

// TestHistoriesThatWereReadStay: the end of another run's pass makes the process forget what no run keeps, also between two pages.
func TestHistoriesThatWereReadStay(t *testing.T) {
	h := newHand(t)
	r := h.reconciler()
	var names []string
	for i := range 60 {
		v := &v1alpha1.NodeValidation{}
		v.Name, v.UID = fmt.Sprintf("node-%02d", i), types.UID(fmt.Sprint(i))
		names = append(names, v.Name)
		if err := h.Create(t.Context(), v); err != nil {
			t.Fatal(err)
		}
	}
	var gets atomic.Int32
	r.Live = interceptor.NewClient(h, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			gets.Add(1)
			return c.Get(ctx, key, o, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
			r.recent.Validations.Keep("another", nil)
			return c.List(ctx, l, opts...)
		},
	})
	trimmed := &v1alpha1.NodeValidation{}
	trimmed.UID = assess.TrimmedUID
	p := &pass{run: startedRun(), in: assess.Input{Validations: map[string]*v1alpha1.NodeValidation{}}}
	for _, name := range names {
		p.in.Validations[name] = trimmed
	}
	if err := r.readHistories(t.Context(), p, names); err != nil {
		t.Fatal(err)
	}
	r.recent.Validations.Keep("another", nil)
	for _, name := range names {
		if v := p.in.Validations[name]; v == nil || assess.Trimmed(v) {
			t.Errorf("the history of %s is lost", name)
		}
	}
	if gets.Load() > 0 {
		t.Errorf("%d nodes were read twice", gets.Load())
	}
}
