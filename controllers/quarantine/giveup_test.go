package quarantine

import (
	"slices"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// TestATaintThatCannotComeAnyMore: the node goes between the record of its new quarantine and the taint. The quarantine that was to be replaced
// stands again, as nothing has come in its place; a first one goes with the node.
func TestATaintThatCannotComeAnyMore(t *testing.T) {
	fail := func() deed { return deedOf(v1alpha1.VerdictFail, "a", "run-uid", begin) }
	for sentence, c := range map[string]struct {
		convicted bool
		deed      deed
		announced []string
		stands    []string
	}{
		"another device, in place of the one that is out": {true, fail().of("gpu0", "gpu3"), []string{"GPU-0", "GPU-3"}, []string{"GPU-0"}},
		"the node as a whole, in place of a device":       {true, fail(), nil, []string{"GPU-0"}},
		"a first one": {false, fail().of("gpu0"), []string{"GPU-0"}, []string{"GPU-0"}},
	} {
		t.Run(sentence, func(t *testing.T) {
			s := withGPUs(c.convicted)
			var announced *v1alpha1.Quarantine
			s.wrote = func(_, after *store) {
				if q := quarantineOf(after.records["a"]); announced == nil && q != nil && q.ID != "id-before" {
					announced = q
					delete(after.nodes, "a")
				}
			}
			c.deed.do(t, s, s.copy(), taint.Policy{MaxPercent: 100}, always)
			if announced == nil || !slices.Equal(announced.Devices, c.announced) {
				t.Fatalf("announced: %+v, want %v", announced, c.announced)
			}
			q := quarantineOf(s.records["a"])
			if q == nil || (q.ID == "id-before") != c.convicted || !slices.Equal(q.Devices, c.stands) {
				t.Errorf("on record is %+v, want of %v", q, c.stands)
			}
			if s.nodes["a"] != nil {
				t.Error("the node was made again")
			}
		})
	}
}
