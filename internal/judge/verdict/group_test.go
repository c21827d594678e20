package verdict

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/expect"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
)

func profile(name string, peaks ...v1alpha1.Peak) peak.Peaks {
	p := &v1alpha1.HardwareProfile{Spec: v1alpha1.HardwareProfileSpec{Peaks: peaks}}
	p.Name = name
	return peak.Of(p)
}

func TestGroupPeaks(t *testing.T) {
	giving := func(value, unit, reached string) v1alpha1.Peak {
		return v1alpha1.Peak{Name: "p", At: "node", Value: v1alpha1.Decimal(value), Unit: unit, Reached: v1alpha1.Decimal(reached), Source: "data sheet"}
	}
	type answer struct {
		Value, Reached float64
		Why            string
	}
	cases := map[string]struct {
		nodes []peak.Peaks
		unit  string
		want  answer
	}{
		"arithmetic adds up": {[]peak.Peaks{profile("a", giving("80", "GFLOP/s", "70")), profile("a", giving("80", "GFLOP/s", "70")), profile("a", giving("80", "GFLOP/s", "70"))},
			"GFLOP/s", answer{240, 210, ""}},
		"arithmetic adds up over unequal nodes and prefixes": {[]peak.Peaks{profile("a", giving("80", "GFLOP/s", "60")), profile("b", giving("0.12", "TFLOP/s", "0.1"))},
			"TFLOP/s", answer{0.2, 0.16, ""}},
		"a link is as fast as the slowest, first": {[]peak.Peaks{profile("a", giving("25", "GB/s", "23")), profile("b", giving("50", "GB/s", "46"))}, "GB/s", answer{25, 23, ""}},
		"a link is as fast as the slowest, last":  {[]peak.Peaks{profile("b", giving("0.05", "TB/s", "0.046")), profile("a", giving("25", "GB/s", "23"))}, "GB/s", answer{25, 23, ""}},
		"the longest latency is the slowest":      {[]peak.Peaks{profile("a", giving("800", "ns", "900")), profile("b", giving("1.5", "us", "1.6"))}, "us", answer{1.5, 1.6, ""}},
		"what is reached is not known where one node does not say": {
			[]peak.Peaks{profile("a", giving("80", "GFLOP/s", "70")), profile("b", giving("80", "GFLOP/s", ""))}, "GFLOP/s", answer{160, 0, ""}},
		"what a link reaches is not known where the first node does not say": {
			[]peak.Peaks{profile("b", giving("25", "GB/s", "")), profile("a", giving("25", "GB/s", "23"))}, "GB/s", answer{25, 0, ""}},
		"nor of arithmetic where the first node does not say": {
			[]peak.Peaks{profile("b", giving("80", "GFLOP/s", "")), profile("a", giving("80", "GFLOP/s", "70"))}, "GFLOP/s", answer{160, 0, ""}},
		"a peak that one node lacks is none": {[]peak.Peaks{profile("a", giving("80", "GFLOP/s", "")), profile("b")}, "GFLOP/s",
			answer{Why: "HardwareProfile a of this node has no peak p for node"}},
		"a peak that the first node lacks is none": {[]peak.Peaks{profile("b"), profile("a", giving("80", "GFLOP/s", ""))}, "GFLOP/s",
			answer{Why: "HardwareProfile b of this node has no peak p for node"}},
		"a node without a profile leaves no peak":  {[]peak.Peaks{profile("a", giving("80", "GFLOP/s", "")), {}}, "GFLOP/s", answer{Why: "HardwareProfile a of this node has no peak p for node"}},
		"a first node without a profile, likewise": {[]peak.Peaks{{}, profile("a", giving("80", "GFLOP/s", ""))}, "GFLOP/s", answer{Why: "no HardwareProfile of this node has peak p"}},
		"bits do not mix with bytes":               {[]peak.Peaks{profile("a", giving("25", "GB/s", "")), profile("b", giving("200", "Gb/s", ""))}, "GB/s", answer{Why: "HardwareProfile a of this node has no peak p for node"}},
		"what is no number is no peak":             {[]peak.Peaks{profile("a", giving("25", "GB/s", "")), profile("b", giving("fast", "GB/s", ""))}, "GB/s", answer{Why: "HardwareProfile a of this node has no peak p for node"}},
		"no nodes have no peak":                    {nil, "GB/s", answer{Why: "no HardwareProfile of this node has peak p"}},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			m := v1alpha1.Metric{Name: "m", Peak: "p", Unit: c.unit}
			got, why := peak.Group(c.nodes).Find(&m, "node")
			round := func(v float64) string { return fmt.Sprintf("%.9g", v) }
			if why != c.want.Why || round(got.Value) != round(c.want.Value) || round(got.Reached) != round(c.want.Reached) {
				t.Errorf("got %v of which %v is reached, %q; want %+v", got.Value, got.Reached, why, c.want)
			}
		})
	}
}

// TestGroupPeaksChangeNoNode: the peaks of a node serve its own benchmarks, too.
func TestGroupPeaksChangeNoNode(t *testing.T) {
	a := profile("a", v1alpha1.Peak{Name: "p", Value: "80", Unit: "GFLOP/s"})
	peak.Group([]peak.Peaks{a, a})
	if r, _ := a.Find(&v1alpha1.Metric{Peak: "p", Unit: "GFLOP/s"}, "node"); r.Value != 80 {
		t.Errorf("the node's own peak is %v now", r.Value)
	}
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

func TestWithoutFleet(t *testing.T) {
	before := []v1alpha1.Metric{triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: "0.05", Min: "10", MaxRegression: "0.1"})), {Name: "recorded", Unit: "s"}}
	want := []v1alpha1.Metric{triad(expecting(v1alpha1.Expectation{Min: "10", MaxRegression: "0.1"})), {Name: "recorded", Unit: "s"}}
	if diff := cmp.Diff(want, expect.WithoutFleet(before)); diff != "" {
		t.Errorf("other metrics (-want +got):\n%s", diff)
	}
	if before[0].Expectation.MaxFleetDeviation != "0.05" {
		t.Error("the benchmark's own metrics were changed")
	}
}

func TestValues(t *testing.T) {
	m := triad()
	a := attemptOf(v1alpha1.Measurement{Name: m.Name, Unit: "TB/s", Parts: []v1alpha1.PartValue{
		{At: "a->b", Value: "0.025"}, {At: "b->a", Value: "garbled"}, {At: "b->c", Value: "0.024"}}})
	if diff := cmp.Diff([]attempt.PartValue{{At: "a->b", Value: 25}, {At: "b->c", Value: 24}}, attempt.Values(a, &m)); diff != "" {
		t.Errorf("other values (-want +got):\n%s", diff)
	}
	for sentence, other := range map[string]v1alpha1.Metric{
		"a metric that was not measured":           {Name: "latency", Unit: "us"},
		"a metric in a unit that is no throughput": {Name: m.Name, Unit: "us"},
	} {
		if got := attempt.Values(a, &other); got != nil {
			t.Errorf("%s has values: %v", sentence, got)
		}
	}
}

func TestWrongData(t *testing.T) {
	ok := v1alpha1.Check{Name: "ring", OK: true}
	for sentence, c := range map[string]struct {
		attempt v1alpha1.Attempt
		want    bool
	}{
		"every check holds":           {v1alpha1.Attempt{Verdict: v1alpha1.VerdictPass, Checks: []v1alpha1.Check{ok}}, false},
		"a check failed":              {v1alpha1.Attempt{Verdict: v1alpha1.VerdictPass, Checks: []v1alpha1.Check{ok, {Name: "sum"}}}, true},
		"the program reports failure": {v1alpha1.Attempt{Verdict: v1alpha1.VerdictFail, Checks: []v1alpha1.Check{ok}}, true},
		"it could not be measured":    {v1alpha1.Attempt{Verdict: v1alpha1.VerdictError}, false},
	} {
		if got := attempt.WrongData(&c.attempt); got != c.want {
			t.Errorf("%s: %v", sentence, got)
		}
	}
}
