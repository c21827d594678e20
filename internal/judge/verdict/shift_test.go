package verdict

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/past"
)

func TestChangesAgainstTheNodesOwnPast(t *testing.T) {
	m := triad()
	before := pastOf(onGPUs(m, 100, 200), onGPUs(m, 101, 200), onGPUs(m, 99, 200))
	for name, test := range map[string]struct {
		values []float64
		want   []float64 // in percent, of one metric
	}{
		"the median over its parts":             {[]float64{95, 190}, []float64{-5}},
		"a part that nobody measured before":    {[]float64{110, 220, 7}, []float64{10}},
		"one of two parts changed":              {[]float64{100, 180}, []float64{-5}},
		"no part was measured before that time": {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []float64
			for _, c := range past.Changes([]v1alpha1.Metric{m}, onGPUs(m, test.values...), before) {
				got = append(got, math.Round(c.Fraction*1e6)/1e4)
				if c.Sigma < 0.01 || c.Sigma > 0.02 {
					t.Errorf("sigma %v: noise from run to run is 0.01, and the median of three adds some", c.Sigma)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("changes in percent (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSoftwareOfEarlierRuns(t *testing.T) {
	runs := []v1alpha1.PassingRun{{RunUID: "1", Driver: "580.1", Kernel: "5.15"}, {RunUID: "2"}, {RunUID: "3", Driver: "580.2"}, {RunUID: "now", Driver: "590"}}
	p := past.Past{Passes: []v1alpha1.PassHistory{{Configuration: "c", Runs: runs}}, Without: "now"}
	driver, kernel := p.Software(&v1alpha1.Attempt{Configuration: "c"})
	if driver != "580.1" || kernel != "5.15" {
		t.Errorf("%s, %s; most runs had 580.1, and all 5.15", driver, kernel)
	}
	if driver, _ := p.Software(&v1alpha1.Attempt{Configuration: "other"}); driver != "" {
		t.Errorf("%s of a configuration that never ran", driver)
	}
}
