package devicerule

import (
	"strings"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/dra"
)

// TestStanding: what is out of service and where it is not to be found, and what is still to be done, also for a taint that this installation may not allow.
func TestStanding(t *testing.T) {
	evicts := marked("GPU-B")
	evicts.Annotations[v1alpha1.AnnotationQuarantine] = `{"id":"q-1","key":"example.com/slow","effect":"NoExecute","devices":["GPU-B"]}`
	ruled := Of(evicts, places("GPU-A", "GPU-B"), nil).Plan.Create
	if len(ruled) != 1 {
		t.Fatalf("rules to be made: %v", ruled)
	}
	for name, c := range map[string]struct {
		at          *dra.Places
		existing    []*resourcev1.DeviceTaintRule
		unpublished string
		problems    int
		idle        bool
	}{
		"as it is to be":          {places("GPU-A", "GPU-B"), ruled, "", 0, true},
		"its rule is missing":     {places("GPU-A", "GPU-B"), nil, "", 0, false},
		"another GPU is there":    {places("GPU-A", "GPU-C"), nil, "GPU-B", 0, true},
		"nothing is published":    {dra.PlacesOf(evicts, nil, nil), ruled, "GPU-B", 0, true},
		"its UUID is there twice": {places("GPU-B", "GPU-B"), nil, "", 0, false},
		"in a pool of others":     {pool("b", 1, "GPU-B"), nil, "", 1, true},
	} {
		is := Of(evicts, c.at, c.existing)
		if strings.Join(is.Devices, " ") != "GPU-B" || strings.Join(is.Unpublished, " ") != c.unpublished || len(is.Plan.Problems) != c.problems || is.Plan.Idle() != c.idle {
			t.Errorf("%s: %v, unpublished %v, plan %+v", name, is.Devices, is.Unpublished, is.Plan)
		}
	}
	if is := Of(nil, nil, ruled); len(is.Devices) > 0 || len(is.Plan.Delete) != 1 {
		t.Errorf("of a node that is gone: %+v", is.Plan)
	}
}
