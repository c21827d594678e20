package verdict

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
)

// TestFindingsHaveTheirNumbers: whoever reads a finding need not search its message for what was measured and what was expected.
func TestFindingsHaveTheirNumbers(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{Min: "4000", MinFractionOfPeak: "0.8", MaxFleetDeviation: "0.05"}))
	got := judgeAlone(m, onGPUs(m, 4380, 3000, 4380, 4380, 4380), rule.Given{Peaks: h200()})
	want := map[string]v1alpha1.RuleNumbers{
		term.Min:            {Value: "3000", Bound: "4000", Limit: "4000", Unit: "GB/s", Parts: 5},
		term.FractionOfPeak: {Value: "3000", Bound: "3848", Limit: "0.8", Unit: "GB/s", Parts: 5},
		term.FleetDeviation: {Value: "3000", Typical: "4380", Bound: "4072.77012", Limit: "0.05", Unit: "GB/s", Parts: 5},
	}
	for _, f := range got.Findings {
		if diff := cmp.Diff(want[f.Rule], f.RuleNumbers); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f.Rule, diff)
		}
		delete(want, f.Rule)
	}
	if len(want) > 0 {
		t.Errorf("nothing is found by %v", want)
	}
	for _, b := range got.Terms.Broken {
		if b.Bound == "" || b.At != "gpu1" {
			t.Errorf("the term %+v has less than its finding", b)
		}
	}
	for _, h := range judgeAlone(m, onGPUs(m, 4380, 4380, 4380, 4380), rule.Given{Peaks: h200()}).Terms.Held {
		if h.Bound != "" {
			t.Errorf("%s was held, and has a bound that was broken: %s", h.Rule, h.Bound)
		}
	}
}

// What is missing, or could not be judged, has no number.
func TestWhatWasNotJudgedHasNoNumbers(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
	for _, a := range []*v1alpha1.Attempt{onGPUs(m, 3000), attemptOf()} {
		for _, f := range judgeAlone(m, a, rule.Given{}).Findings {
			if f.RuleNumbers != (v1alpha1.RuleNumbers{}) {
				t.Errorf("%s: %+v", f.Message, f.RuleNumbers)
			}
		}
	}
}

// TestTheHeadlineSaysWhatIsTypical: what other nodes reach, and by how much this one differs.
func TestTheHeadlineSaysWhatIsTypical(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
	slow := onGPUs(m, 3600)
	all := []*v1alpha1.Attempt{slow, onGPUs(m, 4000), onGPUs(m, 4000), onGPUs(m, 4000), onGPUs(m, 4000)}
	h := judgeIn(fleetOf(bench, []v1alpha1.Metric{m}, all, true), slow, rule.Given{}).Headline[0]
	if h.Typical != "4000" || h.FleetDeviationPercent != "-10" {
		t.Errorf("typical %s, and %s%% of that", h.Typical, h.FleetDeviationPercent)
	}
}
