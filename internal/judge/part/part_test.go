package part

import (
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Which parts are compared with each other: a link from a part to itself is unlike one that leads away from it.
func TestLikeness(t *testing.T) {
	for _, tt := range []struct {
		one, other string
		alike      bool
	}{
		{"gpu0", "gpu7", true}, {"gpu0->gpu1", "gpu2->gpu3", true}, {"gpu0->gpu0", "gpu1->gpu1", true}, {"gpu0->gpu0", "gpu0->gpu1", false},
		{"gpu0", "gpu0->gpu0", false}, {"node", "", false}, {"64KiB", "128KiB", false}, {"numa0->numa1", "gpu0->gpu1", false},
	} {
		if got := Read(tt.one).Likeness == Read(tt.other).Likeness; got != tt.alike {
			t.Errorf("%q and %q are alike: %v", tt.one, tt.other, got)
		}
	}
}

// A link between unlike GPUs is compared with links between the same two products only.
func TestHardwareOfAPart(t *testing.T) {
	hw := HardwareOf([]v1alpha1.Device{{Index: 0, Product: "H100"}, {Index: 1, Product: "H200"}, {Index: 2, Product: "H200"}, {Index: 3}})
	for at, want := range map[string]string{"gpu0": "H100", "gpu2": "H200", "gpu3": "", "gpu0->gpu1": "H100, H200", "gpu1->gpu0": "H200, H100",
		"gpu1->gpu2": "H200, H200", "node": "1 x H100, 2 x H200", "socket0": "1 x H100, 2 x H200"} {
		if got := hw.Of(Read(at)); got != want {
			t.Errorf("%s is %q, want %q", at, got, want)
		}
	}
	if got := HardwareOf(nil).Of(Read("gpu0")); got != "" {
		t.Errorf("without devices a GPU is %q", got)
	}
}

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
