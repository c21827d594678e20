package quarantine

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/test/hand"
)

// TestTaintsAreCounted: dashboards and alerts go by the metrics.
func TestTaintsAreCounted(t *testing.T) {
	registry := prometheus.NewRegistry()
	counted := metrics.New(registry)
	h := hand.New(t, nodeOf("a"))
	for _, verdict := range []v1alpha1.Verdict{v1alpha1.VerdictFail, v1alpha1.VerdictPass} {
		known := h.Known(t)
		later := begin.Add(-time.Minute)
		if verdict == v1alpha1.VerdictPass {
			later = begin
		}
		_, n := acting(t, h, judgement(verdict, later), known)
		n.Metrics = counted
		if err := n.all(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	want := `# HELP assay_taints_added_total Nodes tainted because they failed.
# TYPE assay_taints_added_total counter
assay_taints_added_total 1
# HELP assay_taints_removed_total Taints taken off nodes that passed again, or whose record explains none.
# TYPE assay_taints_removed_total counter
assay_taints_removed_total 1
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "assay_taints_added_total", "assay_taints_removed_total"); err != nil {
		t.Error(err)
	}
}

// TestWhatIsKnownIsNotWrittenAgain by an operator that was started anew, and remembers nothing.
func TestWhatIsKnownIsNotWrittenAgain(t *testing.T) {
	h := hand.New(t, nodeOf("a"))
	for range 2 {
		_, n := acting(t, h, judgement(v1alpha1.VerdictPass, begin), h.Known(t))
		if err := n.all(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if written := strings.Join(h.Writes, ", "); strings.Count(written, "NodeHistory") != 1 || strings.Count(written, "NodeValidation") != 1 {
		t.Errorf("writes: %s", written)
	}
}
