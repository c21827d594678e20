package summary

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
)

// outcome is a verdict as Run gives it.
type outcome struct {
	Verdict         v1alpha1.Verdict
	Reason, Message string
}

func outcomeOf(v v1alpha1.Verdict, reason, message string) outcome {
	return outcome{v, reason, message}
}

func TestRun(t *testing.T) {
	sum := func(nodes, pending, running, passed, failed, errored, skipped, tainted int32) v1alpha1.RunSummary {
		return v1alpha1.RunSummary{Nodes: nodes, Pending: pending, Running: running, Passed: passed, Failed: failed,
			Errored: errored, Skipped: skipped, Tainted: tainted}
	}
	unjudged := func(s v1alpha1.RunSummary) v1alpha1.RunSummary {
		s.NotJudged = 1
		return s
	}
	worst := func(f RunFacts) RunFacts {
		f.WorstNode, f.WorstMessage = "n17", "hbm: gpu3 slow"
		return f
	}
	tests := map[string]struct {
		in   RunFacts
		want outcome
	}{
		"all passed": {RunFacts{Summary: sum(4, 0, 0, 4, 0, 0, 0, 0)}, outcome{v1alpha1.VerdictPass, "Passed", "4 nodes: 4 passed"}},
		"a failed node fails the run and is named": {worst(RunFacts{Summary: sum(4, 0, 0, 2, 1, 1, 0, 1)}),
			outcome{v1alpha1.VerdictFail, "NodesFailed", "4 nodes: 1 failed, 1 could not be measured, 2 passed, 1 tainted; worst: n17: hbm: gpu3 slow"}},
		"an open breaker comes before failed nodes": {worst(RunFacts{Summary: sum(4, 0, 0, 1, 3, 0, 0, 0), BreakerOpen: true, BreakerMessage: "most fail alike"}),
			outcome{v1alpha1.VerdictInconclusive, "BreakerOpen", "most fail alike; 4 nodes: 3 failed, 1 passed; worst: n17: hbm: gpu3 slow"}},
		"failed nodes come before the deadline": {worst(RunFacts{Summary: sum(4, 2, 0, 1, 1, 0, 0, 0), DeadlineExceeded: true}),
			outcome{v1alpha1.VerdictFail, "NodesFailed", "the deadline passed before every node was measured; 4 nodes: 1 failed, 1 passed, 2 pending; worst: n17: hbm: gpu3 slow"}},
		"the deadline": {RunFacts{Summary: sum(2, 1, 0, 1, 0, 0, 0, 0), DeadlineExceeded: true},
			outcome{v1alpha1.VerdictInconclusive, "DeadlineExceeded", "activeDeadlineSeconds passed before every node was measured: raise it, or see what delayed the nodes; 2 nodes: 1 passed, 1 pending"}},
		"a deadline whose nodes are written off as missing": {worst(RunFacts{Summary: sum(2, 0, 0, 1, 0, 1, 0, 0), DeadlineExceeded: true}),
			outcome{v1alpha1.VerdictInconclusive, "DeadlineExceeded", "activeDeadlineSeconds passed before every node was measured: raise it, or see what delayed the nodes; 2 nodes: 1 could not be measured, 1 passed; worst: n17: hbm: gpu3 slow"}},
		"a deadline after the last node is none": {RunFacts{Summary: sum(2, 0, 0, 2, 0, 0, 0, 0), DeadlineExceeded: true}, outcome{v1alpha1.VerdictPass, "Passed", "2 nodes: 2 passed"}},
		"no node":                                {RunFacts{}, outcome{v1alpha1.VerdictInconclusive, "NoMatchingNodes", "no node matches: check selector and nodeNames"}},
		"a node that could not be measured":      {worst(RunFacts{Summary: sum(2, 0, 0, 1, 0, 1, 0, 0)}), outcome{v1alpha1.VerdictInconclusive, "Inconclusive", "2 nodes: 1 could not be measured, 1 passed; worst: n17: hbm: gpu3 slow"}},
		"a node that nothing could judge":        {worst(RunFacts{Summary: unjudged(sum(2, 0, 0, 1, 0, 0, 0, 0))}), outcome{v1alpha1.VerdictInconclusive, "NotJudged", "2 nodes: 1 could not be judged, 1 passed; worst: n17: hbm: gpu3 slow"}},
		"a node that could not be measured says more": {worst(RunFacts{Summary: unjudged(sum(2, 0, 0, 0, 0, 1, 0, 0))}),
			outcome{v1alpha1.VerdictInconclusive, "Inconclusive", "2 nodes: 1 could not be measured, 1 could not be judged; worst: n17: hbm: gpu3 slow"}},
		"a run that skipped every node proves nothing": {worst(RunFacts{Summary: sum(2, 0, 0, 0, 0, 0, 2, 0)}),
			outcome{v1alpha1.VerdictInconclusive, "Inconclusive", "every node was skipped, so nothing is proved; 2 nodes: 2 skipped; worst: n17: hbm: gpu3 slow"}},
		"some skipped, the rest passed": {RunFacts{Summary: sum(3, 0, 0, 2, 0, 0, 1, 0)}, outcome{v1alpha1.VerdictPass, "Passed", "3 nodes: 1 skipped, 2 passed"}},
		"a run that goes on is pending": {RunFacts{Summary: sum(3, 1, 1, 0, 1, 0, 0, 0)}, outcome{v1alpha1.VerdictPending, "Running", "3 nodes: 1 failed, 1 running, 1 pending"}},
		"one node is written as one":    {RunFacts{Summary: sum(1, 0, 0, 1, 0, 0, 0, 0)}, outcome{v1alpha1.VerdictPass, "Passed", "1 node: 1 passed"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, outcomeOf(Run(tt.in))); diff != "" {
				t.Errorf("run (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRunMessageIsBounded(t *testing.T) {
	_, _, text := Run(RunFacts{BreakerOpen: true, BreakerMessage: strings.Repeat("x", 5000)})
	if len(text) > message.Longest {
		t.Errorf("%d bytes", len(text))
	}
}

// A run's summary names the worst node only where its message explains the verdict.
func TestRunNamesTheWorstNode(t *testing.T) {
	for sentence, tt := range map[string]struct {
		s     v1alpha1.RunSummary
		named bool
	}{
		"one failed":                {v1alpha1.RunSummary{Nodes: 2, Passed: 1, Failed: 1}, true},
		"one could not be measured": {v1alpha1.RunSummary{Nodes: 2, Passed: 1, Errored: 1}, true},
		"none was measured":         {v1alpha1.RunSummary{Nodes: 2, Skipped: 2}, true},
		"one was skipped":           {v1alpha1.RunSummary{Nodes: 2, Passed: 1, Skipped: 1}, false}, // the first row is that of the other
		"all passed":                {v1alpha1.RunSummary{Nodes: 2, Passed: 2}, false},
	} {
		if _, _, text := Run(RunFacts{Summary: tt.s, WorstNode: "n17", WorstMessage: "slow"}); strings.Contains(text, "worst: n17: slow") != tt.named {
			t.Errorf("%s: %q", sentence, text)
		}
	}
}

// TestRunOfGroups: a slow link or set of nodes fails the run although every node passed or could not be judged.
func TestRunOfGroups(t *testing.T) {
	sum := func(pending, passed, failed, errored int32) v1alpha1.RunSummary {
		return v1alpha1.RunSummary{Nodes: pending + passed + failed + errored, Pending: pending, Passed: passed, Failed: failed, Errored: errored}
	}
	const link = "link a-b is slow"
	cases := map[string]struct {
		in   RunFacts
		want outcome
	}{
		"a slow link fails a run whose nodes passed": {RunFacts{Summary: sum(0, 4, 0, 0), Findings: 1, Finding: link},
			outcome{v1alpha1.VerdictFail, "GroupsFailed", "link a-b is slow; 4 nodes: 4 passed"}},
		"of several findings the first is told": {RunFacts{Summary: sum(0, 4, 0, 0), Findings: 3, Finding: link},
			outcome{v1alpha1.VerdictFail, "GroupsFailed", "link a-b is slow (and 2 more findings); 4 nodes: 4 passed"}},
		"suspects do not hide it": {RunFacts{Summary: sum(0, 2, 0, 2), Findings: 1, Finding: link, WorstNode: "a", WorstMessage: "slow with b"},
			outcome{v1alpha1.VerdictFail, "GroupsFailed", "link a-b is slow; 4 nodes: 2 could not be measured, 2 passed; worst: a: slow with b"}},
		"the deadline does not hide it": {RunFacts{Summary: sum(1, 3, 0, 0), Findings: 1, Finding: link, DeadlineExceeded: true},
			outcome{v1alpha1.VerdictFail, "GroupsFailed", "link a-b is slow; 4 nodes: 3 passed, 1 pending"}},
		"a failed node comes before it": {RunFacts{Summary: sum(0, 3, 1, 0), Findings: 1, Finding: link},
			outcome{v1alpha1.VerdictFail, "NodesFailed", "4 nodes: 1 failed, 3 passed"}},
		"an open breaker comes before it": {RunFacts{Summary: sum(0, 3, 1, 0), Findings: 1, Finding: link, BreakerOpen: true, BreakerMessage: "most fail alike"},
			outcome{v1alpha1.VerdictInconclusive, "BreakerOpen", "most fail alike; 4 nodes: 1 failed, 3 passed"}},
		"a run that goes on is pending": {RunFacts{Summary: sum(1, 3, 0, 0), Findings: 1, Finding: link},
			outcome{v1alpha1.VerdictPending, "Running", "4 nodes: 3 passed, 1 pending"}},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			if diff := cmp.Diff(c.want, outcomeOf(Run(c.in))); diff != "" {
				t.Errorf("run (-want +got):\n%s", diff)
			}
		})
	}
	_, _, text := Run(RunFacts{Summary: sum(0, 4, 0, 0), Findings: 2, Finding: strings.Repeat("x", 5000)})
	if len(text) > message.Longest {
		t.Errorf("a message of %d bytes", len(text))
	}
}

// What is cut short on a host names the host's own flag, or the user.
func TestWhatCutTheRunShort(t *testing.T) {
	for by, want := range map[Cut][2]string{
		CutByDeadline: {"the deadline passed before every node was measured; ",
			"activeDeadlineSeconds passed before every node was measured: raise it, or see what delayed the nodes; "},
		CutOnHost: {"--deadline passed before everything was measured; ", "--deadline passed before everything was measured: raise it; "},
		CutByUser: {"the run was interrupted before everything was measured; ", "the run was interrupted before everything was measured; "},
	} {
		for failed, want := range want {
			_, _, got := Run(RunFacts{Cut: by, DeadlineExceeded: true, Summary: v1alpha1.RunSummary{Nodes: 2, Pending: 1, Failed: int32(1 - failed)}})
			if !strings.HasPrefix(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	}
}
