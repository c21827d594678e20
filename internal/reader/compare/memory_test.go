package compare

import (
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// A page names the parts that differ most, and needs no others.
func TestPartsAreListedOfRowsThatDiffer(t *testing.T) {
	for factor, want := range map[float64]int{1: 0, 1.05: 16} {
		if r := New(base("a").side(), base("b", faster(factor)).side(), Options{PartsThatDiffer: true}).Rows[0]; len(r.Parts) != want {
			t.Errorf("%s: %d parts, want %d", r.Outcome, len(r.Parts), want)
		}
	}
}

// However often a side was measured, it holds one value of each part while it is read.
func TestFurtherAttemptsTakeNoMemory(t *testing.T) {
	often := base("b", marked(func(_ string, b *v1alpha1.BenchmarkResult) {
		for range 20 {
			b.Attempts = append(b.Attempts, b.Attempts[0])
		}
	}))
	if values := often.side().series[rowKey{"bench", "speed", "gpu"}].values; len(values) != 16 || values[0].attempts != 21 {
		t.Errorf("%d values of 16 parts, the first of %d attempts", len(values), values[0].attempts)
	}
}
