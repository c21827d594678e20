package taint

import (
	"math"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func TestTheWorstComeFirst(t *testing.T) {
	of := func(verdict v1alpha1.Verdict, numbers ...v1alpha1.RuleNumbers) float64 {
		j := Judgement{Benchmarks: []Benchmark{{Name: "hbm"}}}
		for _, n := range numbers {
			j.Benchmarks[0].Findings = append(j.Benchmarks[0].Findings, v1alpha1.Finding{Verdict: verdict, RuleNumbers: n})
		}
		return j.Shortfall()
	}
	slow, slower, late := v1alpha1.RuleNumbers{Value: "90", Bound: "100"}, v1alpha1.RuleNumbers{Value: "70", Bound: "100"}, v1alpha1.RuleNumbers{Value: "200", Bound: "100"}
	for name, tt := range map[string]struct{ got, want float64 }{
		"the worst of its parts":        {of(v1alpha1.VerdictFail, slow, slower), 0.3},
		"of which less is better":       {of(v1alpha1.VerdictFail, late), 0.5},
		"a warning is none":             {of(v1alpha1.VerdictWarning, slow), 0},
		"wrong data is no matter of it": {of(v1alpha1.VerdictFail, v1alpha1.RuleNumbers{}, slow), math.Inf(1)},
	} {
		if math.Abs(tt.got-tt.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, tt.got, tt.want)
		}
	}
}
