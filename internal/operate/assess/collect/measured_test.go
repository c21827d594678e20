package collect

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func TestTelemetryOfMetricsThatNobodyJudgesIsNotStored(t *testing.T) {
	var telemetry []v1alpha1.Measurement
	for _, name := range []string{"gpuPower", "gpuSmClock", "fp64Clock", "fp64Power", "fp8Clock", "fp8Power", "temperature", "smClock"} {
		telemetry = append(telemetry, v1alpha1.Measurement{Name: name})
	}
	metrics := []v1alpha1.Metric{{Name: "fp64", Expectation: &v1alpha1.Expectation{}}, {Name: "fp8"}}
	var kept []string
	for _, m := range worthKeeping(telemetry, metrics, []v1alpha1.Measurement{{Name: "fp64"}, {Name: "fp8"}}) {
		kept = append(kept, m.Name)
	}
	want := []string{"gpuPower", "gpuSmClock", "fp64Clock", "fp64Power", "temperature", "smClock"}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
}
