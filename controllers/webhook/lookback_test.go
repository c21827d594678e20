package webhook

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/hand"
)

// TestANewLeaderLooksBackUntilItCan: while the runs cannot be read, taints are told all the same, and the runs once they can, each once.
func TestANewLeaderLooksBackUntilItCan(t *testing.T) {
	url, got := receiver(t)
	run := finished("rack-7", time.Minute)
	node, record, result := tainted("gpu-7", time.Minute)
	s, registry := sender(t, url, secret, run, node, record, result)
	var down atomic.Bool
	down.Store(true)
	s.Live = interceptor.NewClient(s.Live.(client.WithWatch), interceptor.Funcs{List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
		if _, runs := list.(*v1alpha1.ValidationRunList); runs && down.Load() {
			return hand.ErrDown
		}
		return c.List(ctx, list, opts...)
	}})
	start(t, s)
	ids := []string{next(t, got).notice.ID}
	down.Store(false)
	ids = append(ids, next(t, got).notice.ID)
	if diff := cmp.Diff([]string{"TaintAdded/q-gpu-7", "RunFinished/uid-of-rack-7"}, ids); diff != "" {
		t.Error(diff)
	}
	see(t, "all delivered", func() bool {
		return count(t, registry, "TaintAdded", "delivered")+count(t, registry, "RunFinished", "delivered") == 2
	})
	if len(got) > 0 {
		t.Errorf("told more than %q", ids)
	}
}
