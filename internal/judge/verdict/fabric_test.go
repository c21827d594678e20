package verdict

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
)

// TestABoundOfNothingJudgesNothing: without a comparison or a profile, such a bound alone is no pass.
func TestABoundOfNothingJudgesNothing(t *testing.T) {
	type E = v1alpha1.Expectation
	for name, c := range map[string]struct {
		expect E
		value  float64
		want   v1alpha1.Verdict
	}{
		"min 0":                     {E{Min: "0"}, 0.001, v1alpha1.VerdictInconclusive},
		"min -5":                    {E{Min: "-5"}, 0.001, v1alpha1.VerdictInconclusive},
		"no share of a peak":        {E{MinFractionOfPeak: "0"}, 0.001, v1alpha1.VerdictInconclusive},
		"min 0 and a value below":   {E{Min: "0"}, -1, v1alpha1.VerdictFail},
		"min 0 and a peak":          {E{Min: "0", MinFractionOfPeak: "0.5"}, 4000, v1alpha1.VerdictPass},
		"min 0 and a peak not kept": {E{Min: "0", MinFractionOfPeak: "0.5"}, 40, v1alpha1.VerdictFail},
		"min 0 and max":             {E{Min: "0", Max: "5"}, 4, v1alpha1.VerdictPass},
		"a bound":                   {E{Min: "0.0001"}, 0.001, v1alpha1.VerdictPass},
		"nothing is expected":       {E{}, 0.001, v1alpha1.VerdictPass},
	} {
		m := triad(expecting(c.expect))
		got := NewJudge(bench, []v1alpha1.Metric{m}, nil, nil, true).rules.Outcome(onGPUs(m, c.value), rule.Given{Peaks: h200()}, bounds.MeanOf(1))
		if got.Verdict != c.want {
			t.Errorf("%s: %s (%s), want %s", name, got.Verdict, got.Message, c.want)
		}
		if c.want == v1alpha1.VerdictInconclusive && (got.Reason != v1alpha1.ReasonNotJudged || !strings.Contains(got.Message, "is 0 or less, which every value meets")) {
			t.Errorf("%s: %s: %s, want NotJudged and why", name, got.Reason, got.Message)
		}
		if held := got.Terms.Held; c.want == v1alpha1.VerdictInconclusive && len(held) > 0 && held[len(held)-1].Rule != term.DataCheck {
			t.Errorf("%s: holds %v, want no term that a conviction is refuted by", name, held)
		}
	}
}

func TestPortsIn(t *testing.T) {
	fact := func(name, at, value string) v1alpha1.Fact { return v1alpha1.Fact{Name: name, At: at, Value: value} }
	facts := []v1alpha1.Fact{fact("rdmaState", "mlx5_0", "4: ACTIVE"), fact("rdmaGbps", "mlx5_0", "400"), fact("rdmaState", "mlx5_1", "1: DOWN"),
		fact("rdmaGbps", "mlx5_1", "400"), fact("rdmaGbps", "mlx5_2", "200"), fact("rdmaState", "mlx5_2", "ACTIVE"), fact("rdmaState", "mlx5_3", "INACTIVE")}
	if got := peak.PortsIn(facts); got != (peak.Ports{Active: 2, Gbps: 600}) {
		t.Errorf("%+v, want two active ports of 600 Gb/s together", got)
	}
}

// TestPeakOfTheFabric: the ports' where no profile gives one, and of a group that of the node with least.
func TestPeakOfTheFabric(t *testing.T) {
	m := v1alpha1.Metric{Name: "allReduceBusBandwidth", Unit: "GB/s", Headline: true, Peak: peak.FabricRate, Expectation: &v1alpha1.Expectation{MinFractionOfPeak: "0.5"}}
	profile := peak.Of(&v1alpha1.HardwareProfile{Spec: v1alpha1.HardwareProfileSpec{Peaks: []v1alpha1.Peak{{Name: peak.FabricRate, Value: "100", Unit: "GB/s"}}}})
	for name, c := range map[string]struct {
		nodes []peak.Peaks
		value float64
		want  v1alpha1.Verdict
	}{
		"no ports":         {[]peak.Peaks{{}, {}}, 1, v1alpha1.VerdictInconclusive},
		"over Ethernet":    {[]peak.Peaks{peak.Peaks{}.WithPorts(peak.Ports{Active: 8, Gbps: 3200}), peak.Peaks{}.WithPorts(peak.Ports{Active: 8, Gbps: 3200})}, 10, v1alpha1.VerdictFail},
		"over the rails":   {[]peak.Peaks{peak.Peaks{}.WithPorts(peak.Ports{Active: 8, Gbps: 3200}), peak.Peaks{}.WithPorts(peak.Ports{Active: 8, Gbps: 3200})}, 330, v1alpha1.VerdictPass},
		"the lesser node":  {[]peak.Peaks{peak.Peaks{}.WithPorts(peak.Ports{Active: 8, Gbps: 3200}), peak.Peaks{}.WithPorts(peak.Ports{Active: 2, Gbps: 100})}, 10, v1alpha1.VerdictPass},
		"the profile wins": {[]peak.Peaks{profile.WithPorts(peak.Ports{Active: 8, Gbps: 3200}), profile}, 60, v1alpha1.VerdictPass},
		"one has none":     {[]peak.Peaks{peak.Peaks{}.WithPorts(peak.Ports{Active: 8, Gbps: 3200}), {}}, 10, v1alpha1.VerdictInconclusive},
	} {
		got := NewJudge(bench, []v1alpha1.Metric{m}, nil, nil, true).rules.Outcome(onGPUs(m, c.value), rule.Given{Peaks: peak.Group(c.nodes)}, bounds.MeanOf(1))
		if got.Verdict != c.want {
			t.Errorf("%s: %s (%s), want %s", name, got.Verdict, got.Message, c.want)
		}
	}
}

// TestOverSockets: how fast a group was over sockets fails nobody and passes nobody.
func TestOverSockets(t *testing.T) {
	for _, c := range []struct {
		before Decision
		want   v1alpha1.Verdict
	}{
		{Decision{Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonPassed}, v1alpha1.VerdictInconclusive},
		{Decision{Verdict: v1alpha1.VerdictInconclusive, Reason: v1alpha1.ReasonNotJudged}, v1alpha1.VerdictInconclusive},
		{Decision{Verdict: v1alpha1.VerdictFail, Reason: v1alpha1.ReasonBelowExpectation, Findings: []v1alpha1.Finding{{Verdict: v1alpha1.VerdictFail}}}, v1alpha1.VerdictInconclusive},
		{Decision{Verdict: v1alpha1.VerdictPending, NeedsAttempt: true}, v1alpha1.VerdictInconclusive},
		{Decision{Verdict: v1alpha1.VerdictPending, NeedsAttempt: true, Findings: []v1alpha1.Finding{{Rule: term.DataCheck}}}, v1alpha1.VerdictPending},
		{Decision{Verdict: v1alpha1.VerdictFail, Reason: v1alpha1.ReasonWrongData}, v1alpha1.VerdictFail},
		{Decision{Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonDisturbed}, v1alpha1.VerdictError},
		{Decision{Verdict: v1alpha1.VerdictPending}, v1alpha1.VerdictPending},
	} {
		got := c.before.OverSockets("NCCL used NET/Socket")
		if got.Verdict != c.want {
			t.Errorf("%s/%s becomes %s, want %s", c.before.Verdict, c.before.Reason, got.Verdict, c.want)
		}
		if got.Verdict == v1alpha1.VerdictInconclusive && (got.Reason != v1alpha1.ReasonNotOverRDMA || len(got.Findings) != 1 || got.NeedsAttempt) {
			t.Errorf("%s/%s becomes %+v", c.before.Verdict, c.before.Reason, got)
		}
	}
}
