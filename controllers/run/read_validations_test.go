package run

import (
	"context"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/assess"
	"github.com/assay-dev/assay/internal/recentwrites"
)

// TestHistoriesAreReadForThoseWhoNeedThem: of few nodes one by one, of many by lists, and of all of them once.
func TestHistoriesAreReadForThoseWhoNeedThem(t *testing.T) {
	for nodes, want := range map[int][2]int{3: {3, 0}, 60: {0, 1}} {
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
		gets, lists := 0, 0
		reader := interceptor.NewClient(fake.NewClientBuilder().WithScheme(h.scheme).WithObjects(live...).Build(), interceptor.Funcs{
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
				gets++
				return c.Get(ctx, key, o, opts...)
			},
			List: func(ctx context.Context, c client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
				lists++
				return c.List(ctx, l, opts...)
			},
		})
		r := &Reconciler{Client: fake.NewClientBuilder().WithScheme(h.scheme).WithObjects(cached...).Build(), Live: reader, recent: recentwrites.New(testclock.NewFakePassiveClock(begin))}
		p := &pass{run: startedRun()}
		var err error
		if p.in.Validations, err = r.readValidations(t.Context(), names); err != nil || len(p.in.Validations) != nodes || gets+lists > 0 {
			t.Fatalf("error %v; of %d nodes %d are known, and %d requests were made ahead", err, nodes, len(p.in.Validations), gets+lists)
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
		if got := [2]int{gets, lists}; got[0] != want[0] || got[1] == 0 != (want[1] == 0) {
			t.Errorf("%d nodes: %d are read by themselves, %d lists", nodes, gets, lists)
		}
	}
}
