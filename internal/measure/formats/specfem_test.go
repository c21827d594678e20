package formats

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/test/testdata"
)

// The headline is the mean of all steps, which only the last report is, in the words of both programs.
func TestSPECFEMIsReadByItsLastReport(t *testing.T) {
	b := *testdata.Benchmark("specfem")
	for file, want := range map[string]map[string]float64{
		"specfem-documented.txt":           {"stepTime s node": 0.565953, "loopTime s node": 849.012001},
		"specfem-cartesian-documented.txt": {"stepTime s node": 0.014253, "loopTime s node": 71.270871},
	} {
		whole := testdata.Output(file)
		d, err := Parse(b.Spec.Output.Format, b.Spec.Output.Patterns, b.Spec.Metrics, []byte(whole))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if diff := cmp.Diff(want, figures(d)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
		unfinished, _, _ := strings.Cut(whole, "Timing info:")
		if d, err := Parse(b.Spec.Output.Format, b.Spec.Output.Patterns, b.Spec.Metrics, []byte(unfinished)); err == nil {
			t.Errorf("%s without the end of its loop says %v", file, figures(d))
		}
	}
}
