package past

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestRecent: values are read as they were written.
func TestRecent(t *testing.T) {
	for _, c := range []struct {
		stored []v1alpha1.PassingValue
		values []v1alpha1.Decimal
	}{
		{[]v1alpha1.PassingValue{}, nil},
		{[]v1alpha1.PassingValue{"-"}, []v1alpha1.Decimal{""}},
		{[]v1alpha1.PassingValue{"1"}, []v1alpha1.Decimal{"1"}},
		{[]v1alpha1.PassingValue{"1", "-", "2.5e3", "-"}, []v1alpha1.Decimal{"1", "", "2.5e3", ""}},
	} {
		if diff := cmp.Diff(c.values, Recent(&v1alpha1.PartHistory{Recent: c.stored})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.stored, diff)
		}
		if diff := cmp.Diff(c.stored, RecentOf(c.values)); diff != "" {
			t.Errorf("%v is written (-want +got):\n%s", c.values, diff)
		}
	}
}
