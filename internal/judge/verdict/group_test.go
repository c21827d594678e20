package verdict

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
)

func profile(name string, peaks ...v1alpha1.Peak) peak.Peaks {
	p := &v1alpha1.HardwareProfile{Spec: v1alpha1.HardwareProfileSpec{Peaks: peaks}}
	p.Name = name
	return peak.Of(p)
}

func TestBlame(t *testing.T) {
	slow := v1alpha1.Finding{Metric: "bandwidth", Rule: "Blame", Verdict: v1alpha1.VerdictFail, Message: "bandwidth 40% below the fleet"}
	late := v1alpha1.Finding{Metric: "latency", Rule: "Blame", Verdict: v1alpha1.VerdictFail, Message: "latency 30% above the fleet"}
	low := v1alpha1.Finding{Metric: "bandwidth", Rule: "Min", Verdict: v1alpha1.VerdictFail, Message: "bandwidth below 5"}
	headline := func(bandwidth, latency v1alpha1.Verdict) []v1alpha1.HeadlineValue {
		return []v1alpha1.HeadlineValue{{Metric: "bandwidth", Verdict: bandwidth}, {Metric: "latency", Verdict: latency}}
	}
	const pass, fail = v1alpha1.VerdictPass, v1alpha1.VerdictFail
	cases := map[string]struct {
		before   Decision
		findings []v1alpha1.Finding
		want     Decision
	}{
		"nothing found changes nothing": {Decision{Verdict: pass, Reason: "Passed", Message: "fine", Headline: headline(pass, pass)}, nil,
			Decision{Verdict: pass, Reason: "Passed", Message: "fine", Headline: headline(pass, pass)}},
		"a node that is blamed fails by it, and so does the metric": {
			Decision{Verdict: pass, Reason: "Passed", Message: "fine", Headline: headline(pass, pass)}, []v1alpha1.Finding{slow},
			Decision{Verdict: fail, Reason: "BelowExpectation", Message: slow.Message, Headline: headline(fail, pass), Findings: []v1alpha1.Finding{slow}}},
		"of several findings the first is told": {
			Decision{Verdict: pass, Reason: "Passed", Message: "fine", Headline: headline(pass, pass)}, []v1alpha1.Finding{late, slow},
			Decision{Verdict: fail, Reason: "BelowExpectation", Message: late.Message, Headline: headline(fail, fail), Findings: []v1alpha1.Finding{late, slow}}},
		"a node that failed already says so in its own words": {
			Decision{Verdict: fail, Reason: "WrongData", Message: "wrong data", Headline: headline(pass, fail), Findings: []v1alpha1.Finding{low}}, []v1alpha1.Finding{slow},
			Decision{Verdict: fail, Reason: "WrongData", Message: "wrong data", Headline: headline(fail, fail), Findings: []v1alpha1.Finding{slow, low}}},
		"a node that could not be measured to the end is blamed all the same": {
			Decision{Verdict: v1alpha1.VerdictMissing, Reason: "MeasurementMissing", Message: "no latency"}, []v1alpha1.Finding{slow},
			Decision{Verdict: fail, Reason: "BelowExpectation", Message: slow.Message, Findings: []v1alpha1.Finding{slow}}},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			c.want.Terms.Broken = term.BrokenBy(c.findings) // each finding convicts
			if diff := cmp.Diff(c.want, c.before.Blame(c.findings)); diff != "" {
				t.Errorf("another decision (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBlameKeepsWithinTheAPI: no more findings than a result may hold, and those of the tournament first.
func TestBlameKeepsWithinTheAPI(t *testing.T) {
	own := make([]v1alpha1.Finding, rule.MaxFindings)
	found := append(make([]v1alpha1.Finding, 0, 8), v1alpha1.Finding{Rule: "Blame"})
	d := Decision{Findings: own}.Blame(found)
	if len(d.Findings) != rule.MaxFindings || d.Findings[0].Rule != "Blame" {
		t.Errorf("%d findings, the first by rule %q", len(d.Findings), d.Findings[0].Rule)
	}
	other := Decision{Findings: []v1alpha1.Finding{{Rule: "Min"}}}.Blame(found)
	_ = Decision{Findings: []v1alpha1.Finding{{Rule: "Max"}}}.Blame(found)
	if other.Findings[1].Rule != "Min" {
		t.Errorf("the findings of another node got into this one's: %v", other.Findings)
	}
}
