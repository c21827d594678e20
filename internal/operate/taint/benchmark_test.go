package taint

import (
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
)

func TestWhyARuleWasNotJudged(t *testing.T) {
	fleet := v1alpha1.Conviction{Metric: "hbmTriad", Rule: term.FleetDeviation}
	found := []v1alpha1.Finding{{Metric: "other", Rule: fleet.Rule, Message: "no"}, {Metric: fleet.Metric, Rule: fleet.Rule, Message: "2 nodes are no fleet"}}
	doubtful := func(metric, rule string) Benchmark {
		return Benchmark{Terms: term.Terms{Doubtful: []term.Term{{Metric: metric, Rule: rule}}}}
	}
	passed := Benchmark{Verdict: v1alpha1.VerdictPass}
	older, own := passed, passed
	older.Terms.Held = []term.Term{{Metric: "hbmTriad", Rule: term.Max}}
	own.Overridden = []v1alpha1.Metric{{Name: "hbmTriad"}}
	for want, tt := range map[string]struct {
		Benchmark
		v1alpha1.Conviction
	}{
		"FleetDeviation of hbmTriad was not judged in this run: 2 nodes are no fleet":                                                                                   {Benchmark{Findings: found}, fleet},
		"NodeDeviation of hbmTriad was not judged in this run: it takes other nodes of the same kind to compare with":                                                   {Benchmark{}, v1alpha1.Conviction{Metric: "hbmTriad", Rule: term.NodeDeviation}},
		"DataCheck was not judged in this run":                                                                                                                          {doubtful("other", term.DataCheck), v1alpha1.Conviction{Rule: term.DataCheck}},
		"an attempt of this run broke FleetDeviation of hbmTriad again, so it still comes and goes":                                                                     {doubtful(fleet.Metric, fleet.Rule), fleet},
		"an attempt of this run broke Min of hbmTriad again, so it still comes and goes":                                                                                {doubtful(fleet.Metric, term.Min), v1alpha1.Conviction{Metric: fleet.Metric, Rule: term.FractionOfPeak}},
		"FractionOfPeak of hbmTriad was not judged in this run: the Benchmark does not have it now; if that is meant, delete the node's NodeValidation and NodeHistory": {passed, v1alpha1.Conviction{Metric: "hbmTriad", Rule: term.FractionOfPeak}},
		"Max of hbmTriad was not judged in this run":                                                                                                                    {older, v1alpha1.Conviction{Metric: "hbmTriad", Rule: term.Max}},
		"Min of hbmTriad was not judged in this run":                                                                                                                    {own, v1alpha1.Conviction{Metric: "hbmTriad", Rule: term.Min}},
		"Regression of hbmTriad was not judged in this run":                                                                                                             {passed, v1alpha1.Conviction{Metric: "hbmTriad", Rule: term.Regression}},
	} {
		if got := tt.unjudged(&tt.Conviction); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
