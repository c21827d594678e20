package verdict

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// scaling is a metric that is measured at several sizes, and must be efficient.
func scaling(better v1alpha1.Direction, kind v1alpha1.Scaling, least v1alpha1.Fraction) v1alpha1.Metric {
	return v1alpha1.Metric{Name: "rate", Unit: "ns/day", Better: better, Headline: true, Scaling: kind,
		Expectation: &v1alpha1.Expectation{Min: "0", MinEfficiency: least}}
}

// sized is an attempt with values at parts: "1gpu 10 2gpu 19".
func sized(m v1alpha1.Metric, text string) *v1alpha1.Attempt {
	words := strings.Fields(text)
	measured := v1alpha1.Measurement{Name: m.Name, Unit: m.Unit}
	for i := 0; i+1 < len(words); i += 2 {
		measured.Parts = append(measured.Parts, v1alpha1.PartValue{At: words[i], Value: v1alpha1.Decimal(words[i+1])})
	}
	return attemptOf(measured)
}

// drawn is a curve as text: of, then size, value and efficiency of each point.
func drawn(curves []v1alpha1.Curve) string {
	var out []string
	for _, c := range curves {
		for _, p := range c.Points {
			out = append(out, fmt.Sprintf("%d%s %s %s", p.Size, c.Of, p.Value, p.Efficiency))
		}
	}
	return strings.Join(out, ", ")
}

func TestEfficiency(t *testing.T) {
	higher, lower := v1alpha1.Higher, v1alpha1.Lower
	tests := map[string]struct {
		metric  v1alpha1.Metric
		parts   string
		curve   string
		verdict v1alpha1.Verdict
		message string
	}{
		"a rate that grows with the GPUs": {
			scaling(higher, v1alpha1.ScalingStrong, "0.9"), "4gpu 38 1gpu 10 2gpu 19",
			"1gpu 10 1, 2gpu 19 0.95, 4gpu 38 0.95", v1alpha1.VerdictPass, "rate 38 ns/day",
		},
		"equal to what is expected": {
			scaling(higher, v1alpha1.ScalingStrong, "0.9"), "1gpu 10 2gpu 18", "1gpu 10 1, 2gpu 18 0.9", v1alpha1.VerdictPass, "",
		},
		"a curve that bends": {
			scaling(higher, v1alpha1.ScalingStrong, "0.9"), "1gpu 10 2gpu 19 4gpu 25",
			"1gpu 10 1, 2gpu 19 0.95, 4gpu 25 0.625", v1alpha1.VerdictFail,
			"4gpu rate 25 ns/day: parallel efficiency 62.5 % against 10 ns/day at 1gpu, expected at least 90 %",
		},
		"a hump in the middle is no excuse": {
			scaling(higher, v1alpha1.ScalingWeak, "0.9"), "1rank 10 2ranks 15 4ranks 40", "1rank 10 1, 2rank 15 0.75, 4rank 40 1",
			v1alpha1.VerdictFail, "2ranks rate 15 ns/day: parallel efficiency 75 % against 10 ns/day at 1rank, expected at least 90 %",
		},
		"the smallest size need not be 1": {
			scaling(higher, v1alpha1.ScalingStrong, "0.9"), "4nodes 40 16nodes 80", "4node 40 1, 16node 80 0.5", v1alpha1.VerdictFail,
			"16nodes rate 80 ns/day: parallel efficiency 50 % against 40 ns/day at 4nodes, expected at least 90 %",
		},
		"a time of a problem that stays the same": {
			scaling(lower, v1alpha1.ScalingStrong, "0.8"), "1node 100 4nodes 40", "1node 100 1, 4node 40 0.625", v1alpha1.VerdictFail,
			"4nodes rate 40 ns/day: parallel efficiency 62.5 % against 100 ns/day at 1node, expected at least 80 %",
		},
		"a time of a problem that grows": {
			scaling(lower, v1alpha1.ScalingWeak, "0.8"), "1node 100 4nodes 110", "1node 100 1, 4node 110 0.9091", v1alpha1.VerdictPass, "",
		},
		"two kinds of sizes are two curves": {
			scaling(higher, v1alpha1.ScalingStrong, "0.9"), "1gpu 10 2gpu 20 2nodes 20 4nodes 20",
			"1gpu 10 1, 2gpu 20 1, 2node 20 1, 4node 20 0.5", v1alpha1.VerdictFail, "4nodes rate",
		},
		"one size has nothing to grow from": {
			scaling(higher, v1alpha1.ScalingStrong, "0.9"), "1gpu 10", "1gpu 10 1", v1alpha1.VerdictPass, "",
		},
		"no part is a size": {
			scaling(higher, v1alpha1.ScalingStrong, "0.9"), "node 10", "", v1alpha1.VerdictMissing, "rate has no part that is a size",
		},
		"a smallest size of nothing proves nothing": {
			scaling(higher, v1alpha1.ScalingStrong, "0.9"), "1gpu 0 2gpu 20", "1gpu 0 , 2gpu 20 ", v1alpha1.VerdictPass, "",
		},
		"no scaling, no curve": {
			v1alpha1.Metric{Name: "rate", Unit: "ns/day", Headline: true}, "1gpu 10 2gpu 11", "", v1alpha1.VerdictPass, "",
		},
		"nothing is expected of it": {
			scaling(higher, v1alpha1.ScalingStrong, ""), "1gpu 10 2gpu 11", "1gpu 10 1, 2gpu 11 0.55", v1alpha1.VerdictPass, "",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			j := judgeAlone(tt.metric, sized(tt.metric, tt.parts), NodeFacts{})
			if j.Verdict != tt.verdict || !strings.Contains(j.Message, tt.message) {
				t.Errorf("%s: %s, want %s: %s", j.Verdict, j.Message, tt.verdict, tt.message)
			}
			if diff := cmp.Diff(tt.curve, drawn(j.Curves)); diff != "" {
				t.Errorf("another curve (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEfficiencyIsConfirmed: one attempt that bends is measured again, and a second one that does not clears it.
func TestEfficiencyIsConfirmed(t *testing.T) {
	m := scaling(v1alpha1.Higher, v1alpha1.ScalingStrong, "0.9")
	bent, straight := sized(m, "1gpu 10 2gpu 12"), sized(m, "1gpu 10 2gpu 20")
	f := fleetOf(bench, []v1alpha1.Metric{m}, nil, true)
	if d := f.Decide([]v1alpha1.Attempt{*bent}, NodeFacts{}, 2); !d.NeedsAttempt {
		t.Errorf("%s: %s, want another attempt", d.Verdict, d.Message)
	}
	straight.Number = 2
	if d := f.Decide([]v1alpha1.Attempt{*bent, *straight}, NodeFacts{}, 2); d.Verdict == v1alpha1.VerdictFail {
		t.Errorf("failed though only one of two attempts bends: %s", d.Message)
	}
	again := bent.DeepCopy()
	again.Number = 2
	d := f.Decide([]v1alpha1.Attempt{*bent, *again}, NodeFacts{}, 2)
	if d.Verdict != v1alpha1.VerdictFail || d.Findings[0].Rule != ruleEfficiency {
		t.Errorf("%s: %s, want a fail by its efficiency", d.Verdict, d.Message)
	}
	if got := drawn(d.Curves); got != "1gpu 10 1, 2gpu 12 0.6" {
		t.Errorf("curve %s", got)
	}
}

func TestJoinSize(t *testing.T) {
	m := scaling(v1alpha1.Higher, v1alpha1.ScalingStrong, "0.9")
	facts := NodeFacts{Smaller: map[string][]PartValue{"rate": {{At: "1node", Value: 10}}}}
	whole := judgeAlone(m, sized(m, "4nodes 38"), facts).Alone()
	lost := Decision{Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonTimedOut, Message: "killed after 10m"}
	d := whole.JoinSize(2, lost, map[string]bool{"rate": false}, true)
	if got := drawn(d.Curves); got != "1node 10 1, 2node  , 4node 38 0.95" {
		t.Errorf("curve %s", got)
	}
	if hole := d.Curves[0].Points[1]; hole.Message != "killed after 10m" {
		t.Errorf("the hole says %q", hole.Message)
	}
	if d.Verdict != v1alpha1.VerdictError || d.Reason != v1alpha1.ReasonTimedOut || d.Message != "with 2 nodes: killed after 10m" {
		t.Errorf("%s %s: %s", d.Verdict, d.Reason, d.Message)
	}
	if got := drawn(whole.Curves); got != "1node 10 1, 4node 38 0.95" {
		t.Errorf("the decision itself was changed: %s", got)
	}
	fine := whole.JoinSize(1, Decision{Verdict: v1alpha1.VerdictPass}, map[string]bool{"rate": true}, true)
	if fine.Verdict != whole.Verdict || fine.Message != whole.Message {
		t.Errorf("a size that passed changed the verdict: %s: %s", fine.Verdict, fine.Message)
	}
	skipped := whole.JoinSize(2, Decision{Verdict: v1alpha1.VerdictSkipped}, nil, true)
	if skipped.Verdict != v1alpha1.VerdictError {
		t.Errorf("a skipped size left %s of a curve that is judged", skipped.Verdict)
	}
	for _, other := range []Decision{lost, {Verdict: v1alpha1.VerdictSkipped}, {Verdict: v1alpha1.VerdictFail, Reason: v1alpha1.ReasonBelowExpectation}} {
		if d := whole.JoinSize(2, other, nil, false); d.Verdict != whole.Verdict || len(d.Curves[0].Points) != 3 {
			t.Errorf("a size that ended as %s made the group %s, though nobody judges the curve: %s", other.Verdict, d.Verdict, drawn(d.Curves))
		}
	}
}

func TestMeanValues(t *testing.T) {
	m := scaling(v1alpha1.Higher, v1alpha1.ScalingStrong, "")
	one, two, wrong, failed := sized(m, "1node 10"), sized(m, "1node 12"), sized(m, "1node 99"), sized(m, "1node 99")
	wrong.Checks = []v1alpha1.Check{{Name: "energy"}}
	failed.Verdict = v1alpha1.VerdictError
	got := MeanValues([]v1alpha1.Attempt{*one, *two, *wrong, *failed}, &m)
	if diff := cmp.Diff([]PartValue{{At: "1node", Value: 11}}, got); diff != "" {
		t.Error(diff)
	}
	if got := MeanValues([]v1alpha1.Attempt{*wrong}, &m); got != nil {
		t.Errorf("wrong data counts: %v", got)
	}
}
