package run

import (
	"context"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/metrics"
)

// TestWhatNodesReachedIsForgottenWithThem, though nobody scrapes.
func TestWhatNodesReachedIsForgottenWithThem(t *testing.T) {
	r := &Reconciler{Latest: metrics.NewLatest()}
	into := func(version string) *v1alpha1.NodeValidation {
		v := &v1alpha1.NodeValidation{Benchmarks: []v1alpha1.BenchmarkHistory{{Name: "hbm",
			History: []v1alpha1.HistoryEntry{{Values: []v1alpha1.HistoryValue{{Metric: "triad", Unit: "GB/s", Value: "1"}}}}}}}
		v.Name, v.ResourceVersion = "gpu-1", version
		r.Latest.Take(v)
		return v
	}
	deleted := func(v *v1alpha1.NodeValidation) { r.quiet().Delete(t.Context(), event.DeleteEvent{Object: v}, nil) }
	kept := func() int {
		return testutil.CollectAndCount(&metrics.State{Reader: oneNode{}, Latest: r.Latest, PerNode: true, Clock: clock.RealClock{}}, "assay_node_benchmark_value")
	}
	first := into("1")
	into("2")
	deleted(first)
	if kept() != 1 {
		t.Error("a node that came back under its name is forgotten")
	}
	deleted(into("3"))
	if kept() != 0 {
		t.Error("the values of a node that was deleted are kept")
	}
}

// oneNode is a cache that never loses it.
type oneNode struct{ client.Reader }

func (oneNode) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	if l, ok := list.(*v1alpha1.NodeValidationList); ok {
		l.Items = []v1alpha1.NodeValidation{{ObjectMeta: metav1.ObjectMeta{Name: "gpu-1"}}}
	}
	return nil
}
