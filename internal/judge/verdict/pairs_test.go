package verdict

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/blame"
	"github.com/assay-dev/assay/internal/judge/rule"
)

// reachedOf pairs with partners that reach so much with others.
func reachedOf(partner, margin float64, values ...float64) blame.NodeEffect {
	r := blame.NodeEffect{Margin: margin}
	for _, v := range values {
		r.Reached = append(r.Reached, blame.Reached{Value: v, Partner: partner})
	}
	return r
}

func TestJudgePairs(t *testing.T) {
	higher, lower := triad(expecting(v1alpha1.Expectation{Min: "90"})), latency(v1alpha1.Expectation{Max: "2.2"})
	regression := triad(expecting(v1alpha1.Expectation{MaxRegression: "0.1"}))
	peak := triad(expecting(v1alpha1.Expectation{MinFractionOfPeak: "0.9"}))
	const pass, fail = v1alpha1.VerdictPass, v1alpha1.VerdictFail
	cases := map[string]struct {
		metric        v1alpha1.Metric
		value         v1alpha1.Decimal
		reached       blame.NodeEffect
		confirmations int32
		want          v1alpha1.Verdict // Error: not proved
		words         []string
	}{
		"a value that holds the bound passes, whatever its pairs did": {higher, "95", reachedOf(100, 0.02, 80, 80), 1, pass, nil},
		"beyond noise, and its pairs agree":                           {higher, "80", reachedOf(100, 0.02, 80, 81, 82), 1, fail, nil},
		"beyond noise, but it holds the bound with one partner": {higher, "80", reachedOf(100, 0.02, 80, 81, 95), 1, v1alpha1.VerdictError,
			[]string{"bound 90 GB/s", "it holds the bound in 1 of 3 pairs", "check the ways between these nodes"}},
		"just beyond noise": {higher, "88", reachedOf(100, 0.022, 80, 81), 1, fail, nil},
		"noise that nobody knows": {higher, "60", reachedOf(100, 45, 59, 61), 1, v1alpha1.VerdictError,
			[]string{"this may be noise, of which so few pairs tell too little; 2 of 2 pairs"}},
		"just within noise": {higher, "88", reachedOf(100, 0.023, 80, 81), 1, v1alpha1.VerdictError,
			[]string{"node hbmTriad 88 GB/s: bound 90 GB/s", "within noise, which may reach 2.3% here", "2 of 2 pairs with good partners missed the bound", "group.rounds"}},
		"one pair is no confirmation": {higher, "80", reachedOf(100, 0.02, 80), 1, v1alpha1.VerdictError,
			[]string{"bound 90 GB/s", "1 of 1 pair with good partners missed the bound, and 2 must", "group.rounds"}},
		"no confirmation is asked for":      {higher, "80", reachedOf(100, 0.02, 80), 0, fail, nil},
		"three confirmations are asked for": {higher, "80", reachedOf(100, 0.02, 80, 80, 80), 3, v1alpha1.VerdictError, []string{"3 of 3", "and 4 must"}},
		"nothing but slow partners":         {higher, "80", blame.NodeEffect{}, 1, v1alpha1.VerdictError, []string{"0 of 0 pairs"}},
		"partners that are slow with everybody else": {higher, "80", reachedOf(82, 0.02, 80, 80, 80), 1, v1alpha1.VerdictError,
			[]string{"in 3 of 3 pairs the other node misses the bound with everybody else, too", "so either may be slow; check what the nodes share"}},
		"partners that met nobody else":        {higher, "80", reachedOf(0, 0.02, 80), 0, v1alpha1.VerdictError, []string{"in 1 of 1 pair the other node"}},
		"too long with partners that are, too": {lower, "3", reachedOf(3, 0.02, 3, 3), 1, v1alpha1.VerdictError, []string{"in 2 of 2 pairs"}},
		"too long, and its pairs agree":        {lower, "3", reachedOf(2, 0.02, 3, 3), 1, fail, nil},
		"too long within noise":                {lower, "2.24", reachedOf(2, 0.02, 3, 3), 1, v1alpha1.VerdictError, []string{"2.24 us", "bound 2.2 us", "missed the bound"}},
		"worse than before, and pairs agree":   {regression, "80", reachedOf(100, 0.02, 80, 80), 1, fail, nil},
		"worse than before within noise":       {regression, "89", reachedOf(100, 0.02, 80, 80), 1, v1alpha1.VerdictError, []string{"within noise"}},
		"below the peak, and its pairs agree":  {peak, "80", reachedOf(100, 0.02, 80, 80), 1, fail, nil},
		"below the peak within noise":          {peak, "89", reachedOf(100, 0.02, 80, 80), 1, v1alpha1.VerdictError, []string{"89% of peak 100", "within noise"}},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			a := attemptOf(v1alpha1.Measurement{Name: c.metric.Name, Unit: c.metric.Unit, Parts: []v1alpha1.PartValue{{At: "node", Value: c.value}}})
			facts := rule.Given{Past: pastBy(regression, "100", "100", "100"), Peaks: profile("p", v1alpha1.Peak{Name: "hbmBandwidth", At: "node", Value: "100", Unit: "GB/s"})}
			d, unproved := fleetOf(bench, []v1alpha1.Metric{c.metric}, nil, true).JudgePairs(a, facts, map[string]blame.NodeEffect{c.metric.Name: c.reached}, c.confirmations)
			headline, got := d.Headline[0].Verdict, d.Verdict
			if unproved != "" && d.Verdict == pass {
				got = v1alpha1.VerdictError
			}
			if got != c.want || headline != c.want {
				t.Errorf("%s, headline %s, %q; want %s", got, headline, unproved, c.want)
			}
			for _, words := range c.words {
				if !strings.Contains(unproved, words) {
					t.Errorf("%q does not say %q", unproved, words)
				}
			}
		})
	}
}

// TestJudgePairsOfSeveralMetrics: what is proved of one metric stands, and what is not of another is no part of it.
func TestJudgePairsOfSeveralMetrics(t *testing.T) {
	metrics := []v1alpha1.Metric{triad(expecting(v1alpha1.Expectation{Min: "90"})), latency(v1alpha1.Expectation{Max: "2"})}
	a := attemptOf(v1alpha1.Measurement{Name: "hbmTriad", Unit: "GB/s", Parts: []v1alpha1.PartValue{{At: "node", Value: "50"}}},
		v1alpha1.Measurement{Name: "latency", Unit: "us", Parts: []v1alpha1.PartValue{{At: "node", Value: "2.1"}}})
	d, unproved := fleetOf(bench, metrics, nil, true).JudgePairs(a, rule.Given{},
		map[string]blame.NodeEffect{"hbmTriad": reachedOf(100, 0.02, 50, 50), "latency": reachedOf(2, 0.1, 2.1, 2.1)}, 1)
	if d.Verdict != v1alpha1.VerdictFail || !strings.Contains(d.Message, "hbmTriad 50 GB/s") || strings.Contains(d.Message, "more finding") {
		t.Errorf("%s: %s", d.Verdict, d.Message)
	}
	if !strings.Contains(unproved, "latency 2.1 us") || d.Headline[0].Verdict != v1alpha1.VerdictFail || d.Headline[1].Verdict != v1alpha1.VerdictError {
		t.Errorf("%q, headline %+v", unproved, d.Headline)
	}
}
