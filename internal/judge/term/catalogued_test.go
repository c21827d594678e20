package term

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestWhatTheBenchmarkAsks: of what a run's own expectation broke, only that counts as broken which the Benchmark asks for as well.
func TestWhatTheBenchmarkAsks(t *testing.T) {
	asks := v1alpha1.Expectation{Min: "4000", MinFractionOfPeak: "0.8", MaxFleetDeviation: "0.05"}
	broke := func(rule string, limit, value, bound v1alpha1.Decimal) Term {
		return Term{Metric: "hbmTriad", Rule: rule, At: "gpu3", RuleNumbers: v1alpha1.RuleNumbers{Limit: limit, Value: value, Bound: bound}}
	}
	tests := map[string]struct {
		term     Term
		attempts []v1alpha1.Decimal
		ok       bool
		bound    v1alpha1.Decimal
	}{
		"less than the Benchmark asks":             {broke(Min, "3500", "3000", "3500"), []v1alpha1.Decimal{"3000"}, true, "4000"},
		"more, and both are missed":                {broke(Min, "4500", "3000", "4500"), []v1alpha1.Decimal{"3100", "2900"}, true, "4000"},
		"more, and the Benchmark's was met":        {broke(Min, "4500", "4100", "4500"), []v1alpha1.Decimal{"4100"}, false, ""},
		"more, and the Benchmark's was met once":   {broke(Min, "4500", "3700", "4500"), []v1alpha1.Decimal{"3300", "4100"}, false, ""},
		"more, and one attempt did not report it":  {broke(Min, "4500", "3000", "4500"), []v1alpha1.Decimal{"3000", ""}, false, ""},
		"a greater share of the peak, both missed": {broke(FractionOfPeak, "0.9", "3000", "4500"), []v1alpha1.Decimal{"3000"}, true, "4000"},
		"a greater share of the peak":              {broke(FractionOfPeak, "0.9", "4200", "4500"), []v1alpha1.Decimal{"4200"}, false, ""},
		"a greater share of a peak nobody knows":   {broke(FractionOfPeak, "0.9", "3000", ""), []v1alpha1.Decimal{"3000"}, false, ""},
		"farther from the fleet":                   {broke(FleetDeviation, "0.1", "3000", "4500"), []v1alpha1.Decimal{"3000"}, true, "4500"},
		"nearer to the fleet, which says no bound": {broke(FleetDeviation, "0.01", "3000", "4950"), []v1alpha1.Decimal{"3000"}, false, ""},
		"a rule that the Benchmark has not":        {broke(Max, "1", "3000", "1"), []v1alpha1.Decimal{"3000"}, false, ""},
		"its findings are all that is known of it": {broke(Min, "", "", ""), []v1alpha1.Decimal{"3000"}, false, ""},
		"nothing was measured that could tell":     {broke(Min, "4500", "3000", "4500"), nil, false, ""},
		"a smaller size, which has another bound":  {broke(Min, "4500", "-1", "0"), []v1alpha1.Decimal{"-1"}, false, ""},
		"the same again":                           {broke(Min, "4000", "3000", "4000"), []v1alpha1.Decimal{"3000"}, true, "4000"},
	}
	for sentence, tt := range tests {
		t.Run(sentence, func(t *testing.T) {
			m := v1alpha1.Metric{Name: "hbmTriad", Unit: "GB/s", Better: v1alpha1.Higher, Expectation: &asks}
			attempts := []v1alpha1.Attempt{{Number: 9, Verdict: v1alpha1.VerdictError}}
			for _, v := range tt.attempts {
				a := v1alpha1.Attempt{Verdict: v1alpha1.VerdictPass}
				if v != "" {
					a.Measurements = []v1alpha1.Measurement{{Name: m.Name, Unit: m.Unit, Parts: []v1alpha1.PartValue{{At: "gpu0", Value: "4600"}, {At: "gpu3", Value: v}}}}
				}
				attempts = append(attempts, a)
			}
			got, ok := tt.term.AsCatalogued(&m, attempts)
			if !ok && (got.Limit != tt.term.Limit || got.Bound != tt.term.Bound) {
				t.Errorf("it has become %+v", got)
			}
			if ok != tt.ok || ok && (got.Bound != tt.bound || got.Limit != Limits(&asks)[got.Rule]) {
				t.Errorf("%v, by limit %s and bound %s; want %v, bound %s", ok, got.Limit, got.Bound, tt.ok, tt.bound)
			}
		})
	}
}

// TestPartsThatBreakOnlyARunsOwnBound are not among those that broke the Benchmark's: a GPU must not be convicted beside another one by what a run asks.
func TestPartsThatBreakOnlyARunsOwnBound(t *testing.T) {
	m := v1alpha1.Metric{Name: "hbmTriad", Unit: "GB/s", Better: v1alpha1.Higher, Expectation: &v1alpha1.Expectation{Min: "4000"}}
	parts := []v1alpha1.PartValue{{At: "gpu0", Value: "4600"}, {At: "gpu1", Value: "3900"}, {At: "gpu3", Value: "3000"}}
	attempts := []v1alpha1.Attempt{{Verdict: v1alpha1.VerdictPass, Measurements: []v1alpha1.Measurement{{Name: m.Name, Unit: m.Unit, Parts: parts}}}}
	for limit, want := range map[v1alpha1.Decimal]string{"5000": "[gpu1 gpu3]", "3950": "[gpu0 gpu1 gpu3]"} {
		broke := Term{Metric: m.Name, Rule: Min, At: "gpu3", Ats: []string{"gpu0", "gpu1", "gpu3"}, RuleNumbers: v1alpha1.RuleNumbers{Limit: limit, Value: "3000", Bound: limit}}
		if got, ok := broke.AsCatalogued(&m, attempts); !ok || fmt.Sprint(got.Ats) != want || len(broke.Ats) != 3 {
			t.Errorf("by limit %s it was broken by %v, and is to be by %s", limit, got.Ats, want)
		}
	}
}

// TestMeets: a later pass in the same configuration that meets the bound which convicted refutes, whichever rule held.
func TestMeets(t *testing.T) {
	tests := map[string]struct {
		rule   string
		change func(c *v1alpha1.Conviction, e *v1alpha1.HeldRules, h *v1alpha1.HeldRule)
		want   bool
	}{
		"a minimum, where the fleet convicted":         {Min, nil, true},
		"its own past":                                 {Regression, nil, true},
		"too slow still":                               {Min, func(_ *v1alpha1.Conviction, _ *v1alpha1.HeldRules, h *v1alpha1.HeldRule) { h.Value = "3900" }, false},
		"a maximum, which says nothing of the slowest": {Max, nil, false},
		"an efficiency, which is no value":             {Efficiency, nil, false},
		"another image":                                {Min, func(_ *v1alpha1.Conviction, e *v1alpha1.HeldRules, _ *v1alpha1.HeldRule) { e.Configuration = "c2" }, false},
		"a failure by something else": {Min, func(_ *v1alpha1.Conviction, e *v1alpha1.HeldRules, _ *v1alpha1.HeldRule) {
			e.Verdict = v1alpha1.VerdictFail
		}, false},
		"fewer parts":                          {Min, func(_ *v1alpha1.Conviction, _ *v1alpha1.HeldRules, h *v1alpha1.HeldRule) { h.Parts = 3 }, false},
		"the fleet, where a minimum convicted": {FleetDeviation, func(c *v1alpha1.Conviction, _ *v1alpha1.HeldRules, _ *v1alpha1.HeldRule) { c.Rule = Min }, false},
		"a conviction without a bound":         {Min, func(c *v1alpha1.Conviction, _ *v1alpha1.HeldRules, _ *v1alpha1.HeldRule) { c.Bound = "" }, false},
		"a kind of part that is slower by nature": {Min, func(_ *v1alpha1.Conviction, _ *v1alpha1.HeldRules, h *v1alpha1.HeldRule) {
			h.Value, h.Kinds = "900", []v1alpha1.HeldValue{{Kind: "numa", Value: "900"}, {Kind: "gpu", Value: "4100"}}
		}, true},
	}
	for sentence, tt := range tests {
		t.Run(sentence, func(t *testing.T) {
			c := byRule(FleetDeviation, "0.05")
			e := v1alpha1.HeldRules{Configuration: "c1", Verdict: v1alpha1.VerdictPass}
			h := v1alpha1.HeldRule{Metric: c.Metric, Rule: tt.rule, Limit: "10", Value: "4100", Parts: 4}
			if tt.change != nil {
				tt.change(&c, &e, &h)
			}
			if got := Meets(&c, &e, &h); got != tt.want {
				t.Errorf("refuted: %v, want %v", got, tt.want)
			}
		})
	}
}

// TestASlowAttemptIsNoGoodValue: a part that one attempt found slow reached no more than that, by whichever rule it held in the mean of all.
func TestASlowAttemptIsNoGoodValue(t *testing.T) {
	terms := Terms{Held: []Term{{Metric: "a", Rule: Min, RuleNumbers: v1alpha1.RuleNumbers{Value: "95"}, Kinds: []v1alpha1.HeldValue{{Kind: "gpu", Value: "95"}, {Kind: "node", Value: "300"}}},
		{Metric: "a", Rule: Max, RuleNumbers: v1alpha1.RuleNumbers{Value: "99"}}, {Metric: "b", Rule: Min, RuleNumbers: v1alpha1.RuleNumbers{Value: "95"}}, {Metric: "a", Rule: Efficiency, RuleNumbers: v1alpha1.RuleNumbers{Value: "0.9"}}}}
	terms.DoubtValue("a", "gpu3", 80, v1alpha1.Higher)
	want := []v1alpha1.Decimal{"80", "99", "95", "0.9"}
	for i, h := range terms.Held {
		if h.Value != want[i] {
			t.Errorf("%s of %s held at %s, want %s", h.Rule, h.Metric, h.Value, want[i])
		}
	}
	if k := terms.Held[0].Kinds; k[0].Value != "80" || k[1].Value != "300" {
		t.Errorf("by kind: %v", k)
	}
}

// TestAShareProvesNothingBesideANumberInDoubt: it would clear a node of that number, which comes and goes. A number says nothing of a share.
func TestAShareProvesNothingBesideANumberInDoubt(t *testing.T) {
	for doubtful, want := range map[string]string{Min: "[b/FractionOfPeak a/Regression]", FractionOfPeak: "[a/Min b/FractionOfPeak a/Regression]"} {
		terms := Terms{Held: []Term{{Metric: "a", Rule: Min}, {Metric: "a", Rule: FractionOfPeak}, {Metric: "b", Rule: FractionOfPeak}, {Metric: "a", Rule: Regression}}}
		terms.Doubt("a", doubtful)
		held := []string{}
		for _, h := range terms.Held {
			held = append(held, h.Metric+"/"+h.Rule)
		}
		if fmt.Sprint(held) != want || len(terms.Doubtful) != 1 {
			t.Errorf("%s of a is in doubt, and %v are held, want %s", doubtful, held, want)
		}
	}
}
