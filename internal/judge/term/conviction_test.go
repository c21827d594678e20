package term

import (
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

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
			if got := holds(c.value, &v1alpha1.Conviction{RuleNumbers: v1alpha1.RuleNumbers{Bound: c.bound, Value: c.broke}}); got != c.want {
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
		"a higher minimum":             {Min, "92", "90", true},
		"the same minimum":             {Min, "90.0", "90", true},
		"a lower minimum":              {Min, "10", "90", false},
		"a higher fraction of peak":    {FractionOfPeak, "0.95", "0.9", true},
		"a lower fraction of peak":     {FractionOfPeak, "0.5", "0.9", false},
		"a lower maximum":              {Max, "5", "7", true},
		"a higher maximum":             {Max, "9", "7", false},
		"a narrower fleet":             {FleetDeviation, "0.02", "0.05", true},
		"a wider fleet":                {FleetDeviation, "0.5", "0.05", false},
		"a greater regression":         {Regression, "0.2", "0.1", false},
		"more devices":                 {Devices, "8", "7", true},
		"fewer devices":                {Devices, "7", "8", false},
		"a rule that has no limit":     {DataCheck, "", "", true},
		"a limit that cannot be read":  {Min, "many", "90", false},
		"a limit where there was none": {Min, "90", "", false},
	}
	for sentence, c := range tests {
		t.Run(sentence, func(t *testing.T) {
			if got := asStrict(c.rule, c.limit, c.than); got != c.want {
				t.Errorf("%s %s as strict as %s: %v, want %v", c.rule, c.limit, c.than, got, c.want)
			}
		})
	}
}
