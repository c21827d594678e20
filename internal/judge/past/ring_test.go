package past

import (
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/google/go-cmp/cmp"
)

// TestRecent: values are read as they were written.
func TestRecent(t *testing.T) {
	for text, values := range map[v1alpha1.PassingValues][]v1alpha1.Decimal{"": nil, "-": {""}, "1": {"1"}, "1 - 2.5e3 -": {"1", "", "2.5e3", ""}} {
		if diff := cmp.Diff(values, Recent(&v1alpha1.PartHistory{Recent: text})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
		if got := JoinRecent(values); got != text {
			t.Errorf("%v is written %q, want %q", values, got, text)
		}
	}
}
