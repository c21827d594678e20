package verdict

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
)

// outcome is a verdict as Node and Run give it.
type outcome struct {
	Verdict         v1alpha1.Verdict
	Reason, Message string
}

func outcomeOf(v v1alpha1.Verdict, reason, message string) outcome {
	return outcome{v, reason, message}
}

func TestNode(t *testing.T) {
	result := func(name string, v v1alpha1.Verdict, reason, message string) v1alpha1.BenchmarkResult {
		return v1alpha1.BenchmarkResult{Name: name, Verdict: v, Reason: reason, Message: message}
	}
	pass := result("hbm", v1alpha1.VerdictPass, "Passed", "gpu0 fine")
	fail := result("p2p", v1alpha1.VerdictFail, "BelowExpectation", "gpu0->gpu1 slow")
	crash := result("hpl", v1alpha1.VerdictError, "OOMKilled", "out of memory")
	missing := result("stream", v1alpha1.VerdictMissing, "MeasurementMissing", "no triad")
	skipped := result("nccl", v1alpha1.VerdictSkipped, "NeedsNotMet", "1 GPU, 2 needed")
	open := result("dgemm", v1alpha1.VerdictPending, "", "")

	notJudged := result("gpustream", v1alpha1.VerdictInconclusive, "NotJudged", "nothing to compare with")
	tests := map[string]struct {
		in   []v1alpha1.BenchmarkResult
		want outcome
	}{
		"nothing measured":                       {nil, outcome{v1alpha1.VerdictPending, "", "no benchmark has been measured yet"}},
		"pending until each is judged":           {[]v1alpha1.BenchmarkResult{fail, open, pass}, outcome{v1alpha1.VerdictPending, "Running", "not judged yet: dgemm"}},
		"a fail is worse than an error":          {[]v1alpha1.BenchmarkResult{crash, fail, pass}, outcome{v1alpha1.VerdictFail, "BelowExpectation", "p2p: gpu0->gpu1 slow"}},
		"two fails are counted, the first told":  {[]v1alpha1.BenchmarkResult{fail, fail, pass}, outcome{v1alpha1.VerdictFail, "BelowExpectation", "p2p: gpu0->gpu1 slow; 2 of 3 benchmarks failed"}},
		"an error is worse than what is missing": {[]v1alpha1.BenchmarkResult{missing, crash}, outcome{v1alpha1.VerdictError, "OOMKilled", "hpl: out of memory"}},
		"what is missing is worse than a pass":   {[]v1alpha1.BenchmarkResult{pass, missing, skipped}, outcome{v1alpha1.VerdictMissing, "MeasurementMissing", "stream: no triad"}},
		"what nobody could judge is no pass":     {[]v1alpha1.BenchmarkResult{pass, notJudged, skipped}, outcome{v1alpha1.VerdictInconclusive, "NotJudged", "gpustream: nothing to compare with"}},
		"two of them are counted":                {[]v1alpha1.BenchmarkResult{pass, notJudged, notJudged}, outcome{v1alpha1.VerdictInconclusive, "NotJudged", "gpustream: nothing to compare with; 2 of 3 benchmarks could not be judged"}},
		"it hides nothing worse":                 {[]v1alpha1.BenchmarkResult{notJudged, missing}, outcome{v1alpha1.VerdictMissing, "MeasurementMissing", "stream: no triad"}},
		"one pass":                               {[]v1alpha1.BenchmarkResult{pass}, outcome{v1alpha1.VerdictPass, "Passed", "hbm: gpu0 fine"}},
		"all passed":                             {[]v1alpha1.BenchmarkResult{pass, pass}, outcome{v1alpha1.VerdictPass, "Passed", "all 2 benchmarks passed"}},
		"partly skipped is a pass that says so":  {[]v1alpha1.BenchmarkResult{skipped, pass}, outcome{v1alpha1.VerdictPass, "Passed", "1 of 2 benchmarks passed; skipped: nccl"}},
		"all skipped is no pass":                 {[]v1alpha1.BenchmarkResult{skipped}, outcome{v1alpha1.VerdictSkipped, "NeedsNotMet", "nccl: 1 GPU, 2 needed"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, outcomeOf(Node(tt.in))); diff != "" {
				t.Errorf("node (-want +got):\n%s", diff)
			}
		})
	}
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

func TestWorst(t *testing.T) {
	if got := Worst(); got != v1alpha1.VerdictPending {
		t.Errorf("of none: %s", got)
	}
	if got := Worst(v1alpha1.VerdictSkipped, v1alpha1.VerdictPass, v1alpha1.VerdictError, v1alpha1.VerdictMissing); got != v1alpha1.VerdictError {
		t.Errorf("worst: %s", got)
	}
}
