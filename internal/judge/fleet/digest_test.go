package fleet

import (
	"slices"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestNothingIsKnownOfAnEmptyPast: what was not measured in the newest run is not remembered.
func TestNothingIsKnownOfAnEmptyPast(t *testing.T) {
	if d := DigestPasses(&v1alpha1.PassHistory{}); d.groups != nil {
		t.Errorf("a node that never passed: %+v", d)
	}
	h := &v1alpha1.PassHistory{Runs: make([]v1alpha1.PassingRun, 2), Metrics: []v1alpha1.MetricHistory{{Metric: "hbmTriad", Unit: "GB/s",
		Parts: []v1alpha1.PartHistory{{At: "gpu0", Recent: []v1alpha1.PassingValue{"1", "-"}}, {At: "gpu1", Recent: []v1alpha1.PassingValue{"1", "200"}}}}}}
	if d := DigestPasses(h); len(d.groups) != 1 || d.groups[0].parts != 1 || d.groups[0].level != 200 {
		t.Errorf("a part that the newest run did not measure: %+v", d)
	}
}

// Parts scatter about the level of several: one alone has none, and a level of 0 no fraction.
func TestOnlySeveralPartsScatter(t *testing.T) {
	for _, c := range []struct {
		values []float64
		level  float64
		want   []float32
	}{{[]float64{10}, 10, nil}, {[]float64{0, 0, 3}, 0, nil}, {[]float64{9, 10, 12}, 10, []float32{-0.1, 0, 0.2}}, {[]float64{-9, -10}, -10, []float32{0.1, 0}}} {
		if got := appendResiduals(nil, c.values, c.level); !slices.Equal(got, c.want) {
			t.Errorf("%v scatter by %v about %v, want %v", c.values, got, c.level, c.want)
		}
	}
}
