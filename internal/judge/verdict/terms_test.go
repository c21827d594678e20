package verdict

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestTermsOfAnAttempt: what was judged and held, and what was broken by its worst part. A rule without enough data is in neither.
func TestTermsOfAnAttempt(t *testing.T) {
	floor := triad(expecting(v1alpha1.Expectation{Min: "4000"}))
	tests := map[string]struct {
		metric v1alpha1.Metric
		values []float64
		others []float64
		checks []v1alpha1.Check
		want   Terms
	}{
		"every part holds": {floor, []float64{4100, 4200}, nil, nil,
			Terms{Held: []Term{{Rule: RuleDataCheck}, {Metric: "hbmTriad", Rule: ruleMin, Limit: "4000", Value: "4100", Unit: "GB/s", Parts: 2}}}},
		"the worst of two that break": {floor, []float64{3900, 3000}, nil, nil,
			Terms{Held: []Term{{Rule: RuleDataCheck}}, Broken: []Term{
				{Metric: "hbmTriad", Rule: ruleMin, Limit: "4000", At: "gpu1", Unit: "GB/s", Value: "3000", Bound: "4000", Parts: 2}}}},
		"one of two breaks, so the rule is not held": {floor, []float64{4100, 3000}, nil, nil,
			Terms{Held: []Term{{Rule: RuleDataCheck}}, Broken: []Term{
				{Metric: "hbmTriad", Rule: ruleMin, Limit: "4000", At: "gpu1", Unit: "GB/s", Value: "3000", Bound: "4000", Parts: 2}}}},
		"the first of two breaks, so the rule is not held either": {floor, []float64{3000, 4100}, nil, nil,
			Terms{Held: []Term{{Rule: RuleDataCheck}}, Broken: []Term{
				{Metric: "hbmTriad", Rule: ruleMin, Limit: "4000", At: "gpu0", Unit: "GB/s", Value: "3000", Bound: "4000", Parts: 2}}}},
		"a fraction of a peak that nobody knows": {triad(expecting(v1alpha1.Expectation{MinFractionOfPeak: "0.9"})), []float64{4100}, nil, nil,
			Terms{Held: []Term{{Rule: RuleDataCheck}}}},
		"alone, so that no fleet judges": {triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: "0.1"})), []float64{4100}, nil, nil,
			Terms{Held: []Term{{Rule: RuleDataCheck}}}},
		"in a fleet": {triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: "0.1"})), []float64{4100}, []float64{4100, 4110, 4090, 4105}, nil,
			Terms{Held: []Term{{Rule: RuleDataCheck}, {Metric: "hbmTriad", Rule: ruleFleetDeviation, Limit: "0.1", Value: "4100", Unit: "GB/s", Parts: 1}}}},
		"data of which one check failed": {floor, []float64{4100}, nil, []v1alpha1.Check{{Name: "sum", OK: true}, {Name: "pattern"}},
			Terms{Held: []Term{{Metric: "sum", Rule: RuleDataCheck}, {Metric: "hbmTriad", Rule: ruleMin, Limit: "4000", Value: "4100", Unit: "GB/s", Parts: 1}},
				Broken: []Term{{Metric: "pattern", Rule: RuleDataCheck}}}},
	}
	for sentence, c := range tests {
		t.Run(sentence, func(t *testing.T) {
			a := attempt(c.metric, c.values...)
			a.Checks = c.checks
			var others []*v1alpha1.Attempt
			for _, v := range c.others {
				others = append(others, attempt(c.metric, v))
			}
			if diff := cmp.Diff(c.want, judgeAlone(c.metric, a, NodeFacts{}, others...).Terms); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestBrokenBy(t *testing.T) {
	findings := []v1alpha1.Finding{
		{Metric: "rate", Rule: ruleMin, At: "gpu3", Verdict: v1alpha1.VerdictFail},
		{Metric: "rate", Rule: ruleMin, At: "gpu1", Verdict: v1alpha1.VerdictFail},
		{Metric: "rate", Rule: RuleRegression, At: "gpu3", Verdict: v1alpha1.VerdictFail},
		{Metric: "rate", Rule: ruleFleetDeviation, Verdict: v1alpha1.VerdictSkipped},
	}
	want := []Term{{Metric: "rate", Rule: ruleMin, At: "gpu3"}, {Metric: "rate", Rule: RuleRegression, At: "gpu3"}}
	if diff := cmp.Diff(want, BrokenBy(findings)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestHolds: which side of a bound is the good one follows from the value that broke it.
func TestHolds(t *testing.T) {
	tests := map[string]struct {
		value, bound, broke v1alpha1.Decimal
		want                bool
	}{
		"above a bound that a lower value broke": {"95", "90", "50", true},
		"at it":                                  {"90", "90", "50", true},
		"below it":                               {"89", "90", "50", false},
		"below a bound that a higher value broke": {"6", "7", "9", true},
		"above it":                   {"8", "7", "9", false},
		"no value":                   {"", "90", "50", false},
		"no bound":                   {"95", "", "50", false},
		"nobody knows what broke it": {"95", "90", "", false},
	}
	for sentence, c := range tests {
		t.Run(sentence, func(t *testing.T) {
			if got := holds(c.value, &v1alpha1.Conviction{Bound: c.bound, Value: c.broke}); got != c.want {
				t.Errorf("%s against %s, which %s broke: %v, want %v", c.value, c.bound, c.broke, got, c.want)
			}
		})
	}
}

func TestAsStrict(t *testing.T) {
	tests := map[string]struct {
		rule        string
		limit, than v1alpha1.Decimal
		want        bool
	}{
		"a higher minimum":             {ruleMin, "92", "90", true},
		"the same minimum":             {ruleMin, "90.0", "90", true},
		"a lower minimum":              {ruleMin, "10", "90", false},
		"a higher fraction of peak":    {ruleFractionOfPeak, "0.95", "0.9", true},
		"a lower fraction of peak":     {ruleFractionOfPeak, "0.5", "0.9", false},
		"a lower maximum":              {ruleMax, "5", "7", true},
		"a higher maximum":             {ruleMax, "9", "7", false},
		"a narrower fleet":             {ruleFleetDeviation, "0.02", "0.05", true},
		"a wider fleet":                {ruleFleetDeviation, "0.5", "0.05", false},
		"a greater regression":         {RuleRegression, "0.2", "0.1", false},
		"more devices":                 {RuleDevices, "8", "7", true},
		"fewer devices":                {RuleDevices, "7", "8", false},
		"a rule that has no limit":     {RuleDataCheck, "", "", true},
		"a limit that cannot be read":  {ruleMin, "many", "90", false},
		"a limit where there was none": {ruleMin, "90", "", false},
	}
	for sentence, c := range tests {
		t.Run(sentence, func(t *testing.T) {
			if got := asStrict(c.rule, c.limit, c.than); got != c.want {
				t.Errorf("%s %s as strict as %s: %v, want %v", c.rule, c.limit, c.than, got, c.want)
			}
		})
	}
}

// TestTermsOfANodeAsAWhole: what its parts reach together is a rule of its own, which only a comparison with other nodes holds. Parts of a node
// that is behind hold nothing by being alike.
func TestTermsOfANodeAsAWhole(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: "0.1"}))
	others := []*v1alpha1.Attempt{attempt(m, 100, 100, 100, 100), attempt(m, 100, 100, 100, 100), attempt(m, 100, 100, 100, 100)}
	data, parts := Term{Rule: RuleDataCheck}, Term{Metric: "hbmTriad", Rule: ruleFleetDeviation, Limit: "0.1", Value: "79", Unit: "GB/s", Parts: 4}
	whole := Term{Metric: "hbmTriad", Rule: ruleNodeDeviation, Limit: "0.1", Value: "80", Unit: "GB/s", Parts: 4}
	behind, repaired, apart := whole, whole, parts
	behind.Bound, repaired.Value, apart.Value = "90", "98", "97"
	for sentence, c := range map[string]struct {
		values []float64
		others []*v1alpha1.Attempt
		want   Terms
	}{
		"behind other nodes": {[]float64{80, 79, 80, 80}, others, Terms{Held: []Term{data}, Broken: []Term{behind}}},
		"alone":              {[]float64{80, 79, 80, 80}, nil, Terms{Held: []Term{data, parts}}},
		"repaired":           {[]float64{98, 97, 98, 98}, others, Terms{Held: []Term{data, repaired, apart}}},
	} {
		t.Run(sentence, func(t *testing.T) {
			got := judgeAlone(m, attempt(m, c.values...), NodeFacts{}, c.others...).Terms
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
