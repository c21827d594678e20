package verdict

import (
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/rule"
)

func TestJoinSize(t *testing.T) {
	m := scaling(v1alpha1.Higher, v1alpha1.ScalingStrong, "0.9")
	facts := rule.Given{Smaller: map[string][]attempt.PartValue{"rate": {{At: "1node", Value: 10}}}}
	whole := decideAlone(m, sized(m, "4nodes 38"), facts)
	lost := Decision{Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonTimedOut, Message: "killed after 10m"}
	d := whole.JoinSize(2, lost, nil, true)
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
	fine := whole.JoinSize(1, Decision{Verdict: v1alpha1.VerdictPass}, map[string][]attempt.PartValue{"rate": {{At: "2nodes", Value: 1}}}, true)
	if fine.Verdict != whole.Verdict || fine.Message != whole.Message {
		t.Errorf("a size that passed changed the verdict: %s: %s", fine.Verdict, fine.Message)
	}
	slow := Decision{Verdict: v1alpha1.VerdictFail, Reason: v1alpha1.ReasonBelowExpectation, Message: "slow", Findings: []v1alpha1.Finding{
		{Rule: "Scaling", Verdict: v1alpha1.VerdictFail, Message: "slow"}, {Rule: "FleetDeviation", Verdict: v1alpha1.VerdictSkipped}}}
	warned := whole
	warned.Findings = []v1alpha1.Finding{{Rule: "Regression", Verdict: v1alpha1.VerdictWarning, Message: "slower than before"}}
	if d := warned.JoinSize(2, slow, map[string][]attempt.PartValue{"rate": {{At: "2nodes", Value: 1}}}, true); d.Verdict != v1alpha1.VerdictFail || len(d.Findings) != 2 || d.Findings[0].Message != "slow" {
		t.Errorf("a size that is slow leaves %s, and finds %+v", d.Verdict, d.Findings)
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

// TestJoinSizeWithoutAValue: a size that ran well and did not report the metric is a hole that says so.
func TestJoinSizeWithoutAValue(t *testing.T) {
	m := scaling(v1alpha1.Higher, v1alpha1.ScalingStrong, "")
	whole := decideAlone(m, sized(m, "4nodes 38"), rule.Given{})
	d := whole.JoinSize(2, Decision{Verdict: v1alpha1.VerdictPass, Message: "1 metric met its expectations"}, nil, false)
	if hole := d.Curves[0].Points[0]; hole.Size != 2 || hole.Message != "the program did not report rate" {
		t.Errorf("the hole is %+v", hole)
	}
}

// TestJoinSizeThatIsKnown: a size is there once, wherever it was measured.
func TestJoinSizeThatIsKnown(t *testing.T) {
	m := scaling(v1alpha1.Higher, v1alpha1.ScalingStrong, "")
	whole := decideAlone(m, sized(m, "2nodes 20 4nodes 38"), rule.Given{})
	d := whole.JoinSize(2, Decision{Verdict: v1alpha1.VerdictError, Message: "killed after 10m"}, nil, false)
	if got := drawn(d.Curves); got != "2node 20 1, 4node 38 0.95" {
		t.Errorf("curve %s", got)
	}
}
