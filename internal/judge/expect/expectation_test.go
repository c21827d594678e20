package expect

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// asking is a metric of which this is expected.
func asking(e v1alpha1.Expectation) v1alpha1.Metric {
	return v1alpha1.Metric{Name: "hbmTriad", Unit: "GB/s", Expectation: &e}
}

func TestApartFromFleet(t *testing.T) {
	before := []v1alpha1.Metric{asking(v1alpha1.Expectation{MaxFleetDeviation: "0.05", Min: "10", MaxRegression: "0.1"}), {Name: "recorded", Unit: "s"}}
	wantOthers := []v1alpha1.Metric{asking(v1alpha1.Expectation{Min: "10"}), {Name: "recorded", Unit: "s"}}
	others, past := ApartFromFleet(before)
	if diff := cmp.Diff(wantOthers, others); diff != "" {
		t.Errorf("other metrics (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]v1alpha1.Metric{asking(v1alpha1.Expectation{MaxRegression: "0.1"})}, past); diff != "" {
		t.Errorf("metrics judged by their past (-want +got):\n%s", diff)
	}
	if before[0].Expectation.MaxFleetDeviation != "0.05" {
		t.Error("the benchmark's own metrics were changed")
	}
}
