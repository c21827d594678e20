package report

import (
	"bytes"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// A metric that failed has the numbers of its message, not those that the headline shows of another part.
func TestAFailureHasTheNumbersOfItsFinding(t *testing.T) {
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: "rack-7", UID: "7"}}
	r := New(Input{Run: run, Results: []v1alpha1.ValidationResult{{Run: v1alpha1.ObjectReference{UID: "7"}, Node: v1alpha1.ObjectReference{Name: "node-1"},
		Benchmarks: []v1alpha1.BenchmarkResult{{Name: "gpustream", Verdict: v1alpha1.VerdictFail,
			Headline: []v1alpha1.HeadlineValue{
				{Metric: "hbmTriad", At: "gpu3", Unit: "GB/s", Value: "79", Typical: "99", Expected: "88", PercentOfPeak: "60", FleetDeviationPercent: "-20.2", Verdict: v1alpha1.VerdictFail},
				{Metric: "hbmCopy", At: "gpu3", Unit: "GB/s", Value: "46.889799999999994", Verdict: v1alpha1.VerdictPass}},
			Findings: []v1alpha1.Finding{
				{Metric: "hbmTriad", Rule: "Regression", Verdict: v1alpha1.VerdictSkipped},
				{Metric: "hbmTriad", Rule: "NodeDeviation", Verdict: v1alpha1.VerdictFail,
					RuleNumbers: v1alpha1.RuleNumbers{Value: "80", Typical: "100", Bound: "90"}}},
		}}}}})
	m := r.Nodes[0].Benchmarks[0].Metrics[0]
	if m.At != "" || *m.Value != 80 || *m.Typical != 100 || *m.Bound != 90 || *m.DeviationPercent != -20 || m.PercentOfPeak != nil {
		t.Errorf("got %+v", m)
	}
	var out bytes.Buffer
	if err := r.WriteJSON(&out); err != nil || !strings.Contains(out.String(), `"value": 46.8898,`) {
		t.Errorf("%v: %s", err, out.String())
	}
}
