package verdict

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/test/testdata"
)

// A GPU that is slow at its power limit is told with its clock, power and temperature beside the others', as the program read them.
func TestSlowMatrixProductsAreToldWithTheClock(t *testing.T) {
	r := testdata.Recorded("h200/node3")
	for _, tt := range []struct{ program, metric, at, want string }{
		{"gemm", "fp64", "gpu0", "; at 1.605 GHz, 680 W and 57 C, the other 3 GPUs at 1.63 GHz, 687 W and 52 C; 88.5% of the peak at that clock"},
		{"burn", "burn", "gpu2", "; at 1.482 GHz, 691 W and 55 C, the other 3 GPUs at 1.487 GHz, 691 W and 60 C"},
	} {
		a := attempts(t, r, tt.program, nil)[0].DeepCopy()
		for _, m := range a.Measurements {
			for i := range m.Parts {
				if m.Name == tt.metric && m.Parts[i].At == tt.at {
					m.Parts[i].Value = "48"
				}
			}
		}
		profile := v1alpha1.HardwareProfile{Spec: v1alpha1.HardwareProfileSpec{Peaks: []v1alpha1.Peak{{Name: "fp64Matrix", Value: "66.9", Unit: "TFLOP/s", ClockMHz: 1980}}}}
		m := v1alpha1.Metric{Name: tt.metric, Unit: "TFLOP/s", Peak: "fp64Matrix", Better: v1alpha1.Higher, Expectation: &v1alpha1.Expectation{Min: "50"}}
		got := judgeAlone(m, a, rule.Given{Peaks: peak.Of(&profile)})
		if len(got.Findings) == 0 || !strings.Contains(got.Findings[0].Message, tt.want) {
			t.Errorf("%+v\nwant in the first %s", got.Findings, tt.want)
		}
	}
}
