package tournament

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func TestApartFromFleet(t *testing.T) {
	before := []v1alpha1.Metric{bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05", Min: "10", MaxRegression: "0.1"}), {Name: "recorded", Unit: "s"}}
	wantOthers := []v1alpha1.Metric{bandwidth(v1alpha1.Expectation{Min: "10"}), {Name: "recorded", Unit: "s"}}
	others, past := apartFromFleet(before)
	if diff := cmp.Diff(wantOthers, others); diff != "" {
		t.Errorf("other metrics (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]v1alpha1.Metric{bandwidth(v1alpha1.Expectation{MaxRegression: "0.1"})}, past); diff != "" {
		t.Errorf("metrics judged by their past (-want +got):\n%s", diff)
	}
	if before[0].Expectation.MaxFleetDeviation != "0.05" {
		t.Error("the benchmark's own metrics were changed")
	}
}
