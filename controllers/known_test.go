package controllers

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess"
)

// passed is a node that passed a benchmark.
func passed(name string) *v1alpha1.NodeValidation {
	at := metav1.NewTime(time.Unix(1_700_000_000, 0))
	v := &v1alpha1.NodeValidation{}
	v.Name, v.UID = name, "uid"
	v.Benchmarks = []v1alpha1.BenchmarkHistory{{Name: "stream", History: []v1alpha1.HistoryEntry{{Verdict: v1alpha1.VerdictPass, Time: at}},
		Passes: []v1alpha1.PassHistory{{Configuration: "c", Runs: []v1alpha1.PassingRun{{Time: at}}, Metrics: []v1alpha1.MetricHistory{{Metric: "triad", Unit: "GB/s",
			Parts: []v1alpha1.PartHistory{{At: "node", Passes: 1, Recent: "100"}}}}}}}}
	return v
}

// cached is a NodeValidation on its way into the cache.
func cached(t *testing.T, known *KnownFleet, v *v1alpha1.NodeValidation) *v1alpha1.NodeValidation {
	t.Helper()
	slim, err := validationTransform(t, known)(client.Object(v))
	if err != nil {
		t.Fatal(err)
	}
	return slim.(*v1alpha1.NodeValidation)
}

func validationTransform(t *testing.T, known *KnownFleet) func(any) (any, error) {
	t.Helper()
	for kind, options := range CacheOptions("bench", nil, known).ByObject {
		if _, ok := kind.(*v1alpha1.NodeValidation); ok {
			return options.Transform
		}
	}
	t.Fatal("NodeValidations are not cached")
	return nil
}

// TestKnownFleetForgets: nodes come and go, and what the operator keeps of them does not grow.
func TestKnownFleetForgets(t *testing.T) {
	f := NewKnownFleet(time.Hour)
	for _, name := range []string{"stays", "gone", "new"} {
		cached(t, f, passed(name))
	}
	for _, name := range []string{"stays", "gone"} {
		n := f.byName[name]
		n.at = n.at.Add(-2 * time.Minute)
		f.byName[name] = n
	}
	stays := *cached(t, nil, passed("stays"))
	f.Keep([]v1alpha1.NodeValidation{stays})
	if _, gone := f.byName["gone"]; gone || len(f.byName) != 2 {
		t.Errorf("%d nodes are known, want the one that stays and the one that the cache is still to show", len(f.byName))
	}
	if known := f.Of([]v1alpha1.NodeValidation{stays}); len(known) != 1 || known[0].Node != "stays" {
		t.Errorf("known are %v", known)
	}
}

// TestNoKnownFleet: an operator that compares nodes with no others keeps nothing of them.
func TestNoKnownFleet(t *testing.T) {
	f := NewKnownFleet(0)
	if v := cached(t, f, passed("a")); !assess.Trimmed(v) || f != nil {
		t.Errorf("%v is kept, and %v", v, f)
	}
}
