package verdict

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestIdentities: a part is what it is made of, whatever its GPUs are called.
func TestIdentities(t *testing.T) {
	before := []v1alpha1.Device{{Index: 0, UUID: "GPU-aa"}, {Index: 1, UUID: "GPU-bb"}, {Index: 2}}
	after := []v1alpha1.Device{{Index: 0, UUID: "GPU-bb"}, {Index: 1, UUID: "GPU-cc"}, {Index: 2, UUID: "GPU-aa"}}
	for at, want := range map[string]struct {
		identity, now string
		there         bool
	}{
		"gpu0":           {"GPU-aa", "gpu2", true},
		"gpu0->gpu1":     {"GPU-aa->GPU-bb", "gpu2->gpu0", true},
		"gpu1<->gpu0":    {"GPU-bb<->GPU-aa", "gpu0<->gpu2", true},
		"*->gpu1":        {"*->GPU-bb", "*->gpu0", true},
		"numa1->gpu0":    {"numa1->GPU-aa", "numa1->gpu2", true},
		"gpu2":           {"gpu2", "gpu2", true}, // without UUID, its name is all there is
		"estimated node": {"node", "node", true},
		"8GiB":           {"8GiB", "8GiB", true},
	} {
		id := NewIdentities(before).Of(at)
		now, there := Named(id, at, after)
		if id != want.identity || now != want.now || there != want.there {
			t.Errorf("%s is %s, now %s, there %v; want %+v", at, id, now, there, want)
		}
	}
	if _, there := Named("GPU-cc", "gpu1", before); there {
		t.Error("a GPU that is gone is there")
	}
}

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
