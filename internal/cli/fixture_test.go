package cli

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

var start = metav1.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// fourNodes is a finished run in which node-4 failed, node-10 could not be measured, and node-3 was skipped.
func fourNodes() (*v1alpha1.ValidationRun, []v1alpha1.ValidationResult) {
	end := metav1.NewTime(start.Add(94 * time.Second))
	run := &v1alpha1.ValidationRun{
		ObjectMeta: metav1.ObjectMeta{Name: "rack-7", UID: "run-uid", Generation: 1},
		Spec: v1alpha1.ValidationRunSpec{OnFailure: &v1alpha1.OnFailure{
			Taint: &v1alpha1.Taint{Key: "assay.dev/unfit", Value: "failed", Effect: "NoSchedule"},
		}},
		Status: v1alpha1.ValidationRunStatus{
			Verdict: v1alpha1.VerdictFail, Progress: "5/5", StartTime: &start, CompletionTime: &end,
			Summary: &v1alpha1.RunSummary{Nodes: 5, Passed: 2, Failed: 1, Errored: 1, Skipped: 1, Tainted: 1},
			Benchmarks: []v1alpha1.BenchmarkSummary{{
				Name: "gpustream", Metric: "hbmTriad", Unit: "GB/s", Nodes: 3, Median: "4370", Min: "3610", Max: "4380", PercentOfPeak: "91.0",
			}},
			Nodes: []v1alpha1.NodeRow{
				{Name: "node-4", Verdict: v1alpha1.VerdictFail, Reason: v1alpha1.ReasonBelowExpectation, Tainted: true},
				{Name: "node-10", Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonImagePullFailed},
				{Name: "node-3", Verdict: v1alpha1.VerdictSkipped, Reason: v1alpha1.ReasonNodeCordoned, Message: "the node was cordoned by someone else: uncordon it to have it measured"},
				{Name: "node-1", Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonPassed},
				{Name: "node-2", Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonPassed},
			},
			Findings: []v1alpha1.FabricFinding{{
				Kind: "Link", Benchmark: "mpibench", Metric: "bandwidth", Members: []string{"node-1", "node-2"},
				Message: "bandwidth: node-1->node-2 6.1 GB/s, expected 12.2 GB/s: 50 % below what its two ends reach with others",
			}},
			Conditions: []metav1.Condition{{
				Type: v1alpha1.ConditionFinished, Status: metav1.ConditionTrue, ObservedGeneration: 1,
				Reason: v1alpha1.ReasonNodesFailed, Message: "5 nodes: 1 failed, 1 could not be measured, 1 skipped, 2 passed",
			}},
		},
	}
	slow := result("node-4", v1alpha1.VerdictFail, headline("gpu3", "3610", "75.2", "-17.4", v1alpha1.VerdictFail))
	b := &slow.Benchmarks[0]
	b.Reason, b.Headline[0].Expected = v1alpha1.ReasonBelowExpectation, "4326.3"
	b.Message = "gpu3 (GPU-4bce) hbmTriad 3.61 TB/s: 17.4 % below the fleet median 4.37, allowed 1 %; 75.2 % of peak 4.8"
	b.Attempts = []v1alpha1.Attempt{{Number: 1}, {Number: 2}}
	slow.Benchmarks = append(slow.Benchmarks, v1alpha1.BenchmarkResult{
		Name: "montecarlo", Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonMeasured, Attempts: []v1alpha1.Attempt{{Number: 1}},
		Headline: []v1alpha1.HeadlineValue{{Benchmark: "montecarlo", Metric: "optionsPerGpuFp64", Unit: "options/s", Value: "123456789", At: "gpu0", Verdict: v1alpha1.VerdictPass}},
	})
	broken := result("node-10", v1alpha1.VerdictError)
	broken.Benchmarks[0].Reason = v1alpha1.ReasonImagePullFailed
	broken.Benchmarks[0].Message = "image registry.example.com/bench:1 cannot be pulled: not found | check spec.image of Benchmark gpustream"
	foreign := result("node-2", v1alpha1.VerdictFail, headline("gpu0", "1", "1", "-99", v1alpha1.VerdictFail))
	foreign.Run.UID = "another-run"
	return run, []v1alpha1.ValidationResult{
		result("node-1", v1alpha1.VerdictPass, headline("gpu0", "4370", "91.0", "0", v1alpha1.VerdictPass)),
		result("node-2", v1alpha1.VerdictPass, headline("gpu6", "4371.49", "91.1", "0.03", v1alpha1.VerdictPass)),
		foreign, slow, broken,
	}
}

func headline(at, value, ofPeak, ofFleet string, verdict v1alpha1.Verdict) v1alpha1.HeadlineValue {
	return v1alpha1.HeadlineValue{
		Benchmark: "gpustream", Metric: "hbmTriad", Unit: "GB/s", At: at, Verdict: verdict, Value: v1alpha1.Decimal(value),
		PercentOfPeak: v1alpha1.Decimal(ofPeak), FleetDeviationPercent: v1alpha1.Decimal(ofFleet),
	}
}

func result(node string, verdict v1alpha1.Verdict, headlines ...v1alpha1.HeadlineValue) v1alpha1.ValidationResult {
	return v1alpha1.ValidationResult{
		ObjectMeta: metav1.ObjectMeta{Name: "rack-7-" + node},
		Run:        v1alpha1.ObjectReference{Name: "rack-7", UID: "run-uid"},
		Node:       v1alpha1.ObjectReference{Name: node, UID: types.UID("uid-of-" + node)},
		Verdict:    verdict,
		Benchmarks: []v1alpha1.BenchmarkResult{{
			Name: "gpustream", Verdict: verdict, Headline: headlines, Attempts: []v1alpha1.Attempt{{Number: 1}},
		}},
	}
}

// inProgress is the same run in its middle.
func inProgress(done int) *v1alpha1.ValidationRun {
	run, _ := fourNodes()
	run.Status.Verdict, run.Status.CompletionTime = v1alpha1.VerdictPending, nil
	run.Status.Conditions[0].Status, run.Status.Conditions[0].Reason = metav1.ConditionFalse, v1alpha1.ReasonRunning
	run.Status.Progress = fmt.Sprintf("%d/5", done)
	run.Status.Summary = &v1alpha1.RunSummary{Nodes: 5, Passed: int32(done), Running: 1, Pending: int32(4 - done)}
	run.Status.Nodes = nil
	for i := 1; i <= done; i++ {
		run.Status.Nodes = append(run.Status.Nodes, v1alpha1.NodeRow{Name: fmt.Sprintf("node-%d", i), Verdict: v1alpha1.VerdictPass, Message: "all 2 benchmarks passed"})
	}
	run.Status.Nodes = append(run.Status.Nodes, v1alpha1.NodeRow{
		Name: fmt.Sprintf("node-%d", done+1), Verdict: v1alpha1.VerdictPending, Reason: v1alpha1.ReasonRunning, Message: "gpustream runs",
	})
	return run
}
