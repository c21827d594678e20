package tournament

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/formats"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/test/testdata"
)

// overNodes is what `lammps` prints as ranks of an mpirun, in brief: rates of two cases, and each once more as a metric of its own.
func overNodes(t *testing.T, metrics []v1alpha1.Metric, lj, eam float64) v1alpha1.Attempt {
	t.Helper()
	rate := func(name, parts string) string {
		return fmt.Sprintf(`{"name":%q,"unit":"Matom-step/s","better":"higher","parts":[%s]}`, name, parts)
	}
	part := func(at string, value float64) string {
		return fmt.Sprintf(`{"at":%q,"value":%g,"samples":1,"spread":0}`, at, value)
	}
	measurements := []string{rate("atomStepRate", part("lj", lj)+","+part("eam", eam)), rate("ljRate", part("all", lj)), rate("eamRate", part("all", eam))}
	document := `{"schema":"assay.dev/result/v1","benchmark":"lammps","measurements":[` + strings.Join(measurements, ",") + `]}`
	d, err := formats.Parse(v1alpha1.FormatAssay, nil, metrics, []byte(document))
	if err != nil {
		t.Fatal(err)
	}
	return result.Envelope{Outcome: result.OutcomeMeasured, Reason: v1alpha1.ReasonMeasured, Document: &d}.Attempt(1)
}

// TestEachCaseOfLAMMPSHasACurve: a metric with a part for each case can have none, so each case has a metric.
func TestEachCaseOfLAMMPSHasACurve(t *testing.T) {
	entry := testdata.Benchmark("lammps-cluster")
	s := setScope(8, 8, entry.Spec.Metrics...)
	s.Benchmark.Spec.Group.Sizes = entry.Spec.Group.Sizes
	for range 4 {
		s.pass()
		for _, g := range s.sorted() {
			if !g.due {
				continue
			}
			n := float64(len(g.Nodes))
			a := overNodes(t, entry.Spec.Metrics, 10*n, 10+5*n)
			NameSize(s.Benchmark, s.Metrics, &a, len(g.Nodes))
			s.addAttempt(g, a)
		}
	}
	g := s.whole()
	if g.stored.Reason != v1alpha1.ReasonNotJudged { // the catalogue gives it no bound
		t.Errorf("%s: %s", g.stored.Verdict, g.stored.Message)
	}
	// ljRate, then eamRate.
	if diff := cmp.Diff("1 10 1, 4 40 1, 8 80 1, 1 15 1, 4 30 0.5, 8 50 0.4167", curveOf(g)); diff != "" {
		t.Errorf("another curve (-want +got):\n%s", diff)
	}
}
