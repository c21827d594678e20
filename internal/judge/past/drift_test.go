package past

import (
	"slices"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestTheFirstPassesAreNoLoss: what made the baseline is not compared with it, however much of it the ring still has.
func TestTheFirstPassesAreNoLoss(t *testing.T) {
	for name, c := range map[string]struct {
		passes int32
		recent []v1alpha1.PassingValue
		losses []float64
		all    bool
	}{
		"the ring has all passes":        {8, []v1alpha1.PassingValue{"100", "100", "100", "100", "100", "90", "80", "70"}, []float64{0.1, 0.2, 0.3}, true},
		"it has lost some of the first":  {10, []v1alpha1.PassingValue{"100", "100", "90", "80", "70", "60", "50"}, []float64{0.1, 0.2, 0.3, 0.4, 0.5}, true},
		"it has lost all of the first":   {20, []v1alpha1.PassingValue{"90", "80", "70"}, []float64{0.1, 0.2, 0.3}, false},
		"there is nothing but the first": {5, []v1alpha1.PassingValue{"100", "100", "100", "100", "100"}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := &v1alpha1.PartHistory{Passes: c.passes, Baseline: "100", Recent: c.recent}
			losses, times, all := afterBaseline(&v1alpha1.Metric{}, make([]v1alpha1.PassingRun, 8), p)
			if !slices.Equal(losses, c.losses) || len(times) != len(losses) || all != c.all {
				t.Errorf("losses %v at %d times, all there are: %v; want %v, %v", losses, len(times), all, c.losses, c.all)
			}
		})
	}
}
