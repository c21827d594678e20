package verdict

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
)

// TestTermsOfAnAttempt: what was judged and held, and what was broken by its worst part. A rule without enough data is in neither.
func TestTermsOfAnAttempt(t *testing.T) {
	floor := triad(expecting(v1alpha1.Expectation{Min: "4000"}))
	tests := map[string]struct {
		metric v1alpha1.Metric
		values []float64
		others []float64
		checks []v1alpha1.Check
		want   term.Terms
	}{
		"every part holds": {floor, []float64{4100, 4200}, nil, nil,
			term.Terms{Held: []term.Term{{Rule: term.DataCheck}, {Metric: "hbmTriad", Rule: term.Min, RuleNumbers: v1alpha1.RuleNumbers{Limit: "4000", Value: "4100", Unit: "GB/s", Parts: 2}}}}},
		"the worst of two that break": {floor, []float64{3900, 3000}, nil, nil,
			term.Terms{Held: []term.Term{{Rule: term.DataCheck}}, Broken: []term.Term{
				{Metric: "hbmTriad", Rule: term.Min, RuleNumbers: v1alpha1.RuleNumbers{Limit: "4000", Unit: "GB/s", Value: "3000", Bound: "4000", Parts: 2}, At: "gpu1",
					Ats: []string{"gpu1", "gpu0"}}}}},
		"one of two breaks, so the rule is not held": {floor, []float64{4100, 3000}, nil, nil,
			term.Terms{Held: []term.Term{{Rule: term.DataCheck}}, Broken: []term.Term{
				{Metric: "hbmTriad", Rule: term.Min, RuleNumbers: v1alpha1.RuleNumbers{Limit: "4000", Unit: "GB/s", Value: "3000", Bound: "4000", Parts: 2}, At: "gpu1", Ats: []string{"gpu1"}}}}},
		"the first of two breaks, so the rule is not held either": {floor, []float64{3000, 4100}, nil, nil,
			term.Terms{Held: []term.Term{{Rule: term.DataCheck}}, Broken: []term.Term{
				{Metric: "hbmTriad", Rule: term.Min, RuleNumbers: v1alpha1.RuleNumbers{Limit: "4000", Unit: "GB/s", Value: "3000", Bound: "4000", Parts: 2}, At: "gpu0", Ats: []string{"gpu0"}}}}},
		"a fraction of a peak that nobody knows": {triad(expecting(v1alpha1.Expectation{MinFractionOfPeak: "0.9"})), []float64{4100}, nil, nil,
			term.Terms{Held: []term.Term{{Rule: term.DataCheck}}}},
		"alone, so that no fleet judges": {triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: "0.1"})), []float64{4100}, nil, nil,
			term.Terms{Held: []term.Term{{Rule: term.DataCheck}}}},
		"in a fleet": {triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: "0.1"})), []float64{4100}, []float64{4100, 4110, 4090, 4105}, nil,
			term.Terms{Held: []term.Term{{Rule: term.DataCheck}, {Metric: "hbmTriad", Rule: term.FleetDeviation, RuleNumbers: v1alpha1.RuleNumbers{Limit: "0.1", Value: "4100", Unit: "GB/s", Parts: 1}}}}},
		"data of which one check failed": {floor, []float64{4100}, nil, []v1alpha1.Check{{Name: "sum", OK: true}, {Name: "pattern"}},
			term.Terms{Held: []term.Term{{Metric: "sum", Rule: term.DataCheck}, {Metric: "hbmTriad", Rule: term.Min, RuleNumbers: v1alpha1.RuleNumbers{Limit: "4000", Value: "4100", Unit: "GB/s", Parts: 1}}},
				Broken: []term.Term{{Metric: "pattern", Rule: term.DataCheck, Ats: []string{""}}}}},
	}
	for sentence, c := range tests {
		t.Run(sentence, func(t *testing.T) {
			a := onGPUs(c.metric, c.values...)
			a.Checks = c.checks
			var others []*v1alpha1.Attempt
			for _, v := range c.others {
				others = append(others, onGPUs(c.metric, v))
			}
			if diff := cmp.Diff(c.want, judgeAlone(c.metric, a, rule.Given{}, others...).Terms); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestBrokenBy(t *testing.T) {
	findings := []v1alpha1.Finding{
		{Metric: "rate", Rule: term.Min, At: "gpu3", Verdict: v1alpha1.VerdictFail},
		{Metric: "rate", Rule: term.Min, At: "gpu1", Verdict: v1alpha1.VerdictFail},
		{Metric: "rate", Rule: term.Regression, At: "gpu3", Verdict: v1alpha1.VerdictFail},
		{Metric: "rate", Rule: term.FleetDeviation, Verdict: v1alpha1.VerdictSkipped},
	}
	want := []term.Term{{Metric: "rate", Rule: term.Min, At: "gpu3"}, {Metric: "rate", Rule: term.Regression, At: "gpu3"}}
	if diff := cmp.Diff(want, term.BrokenBy(findings)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTermsOfANodeAsAWhole: what its parts reach together is a rule of its own, which only a comparison with other nodes holds. Parts of a node
// that is behind hold nothing by being alike.
func TestTermsOfANodeAsAWhole(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: "0.1"}))
	others := []*v1alpha1.Attempt{onGPUs(m, 100, 100, 100, 100), onGPUs(m, 100, 100, 100, 100), onGPUs(m, 100, 100, 100, 100)}
	data, parts := term.Term{Rule: term.DataCheck}, term.Term{Metric: "hbmTriad", Rule: term.FleetDeviation, RuleNumbers: v1alpha1.RuleNumbers{Limit: "0.1", Value: "79", Unit: "GB/s", Parts: 4}}
	whole := term.Term{Metric: "hbmTriad", Rule: term.NodeDeviation, RuleNumbers: v1alpha1.RuleNumbers{Limit: "0.1", Value: "80", Unit: "GB/s", Parts: 4}}
	behind, repaired, apart := whole, whole, parts
	behind.Typical, behind.Bound, repaired.Value, apart.Value, behind.Ats = "100", "90", "98", "97", []string{""}
	for sentence, c := range map[string]struct {
		values []float64
		others []*v1alpha1.Attempt
		want   term.Terms
	}{
		"behind other nodes": {[]float64{80, 79, 80, 80}, others, term.Terms{Held: []term.Term{data}, Broken: []term.Term{behind}}},
		"alone":              {[]float64{80, 79, 80, 80}, nil, term.Terms{Held: []term.Term{data, parts}}},
		"repaired":           {[]float64{98, 97, 98, 98}, others, term.Terms{Held: []term.Term{data, repaired, apart}}},
	} {
		t.Run(sentence, func(t *testing.T) {
			got := judgeAlone(m, onGPUs(m, c.values...), rule.Given{}, c.others...).Terms
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
