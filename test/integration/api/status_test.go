package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/summary"
	"github.com/assay-dev/assay/internal/measure/result"
)

// TestTheLargestStatusCanBeStored: all lists of a run's status together, each as long as it can get, beside one name and beside as many
// as a run may have. A run that can be created can be finished.
func TestTheLargestStatusCanBeStored(t *testing.T) {
	for sentence, names := range map[string][]string{
		"one node":                       {"a"},
		"as many nodes as there may be":  strings.Split(longNames(10_000, 40), ", "),
		"the longest names there may be": strings.Split(longNames(1_581, 253), ", "),
	} {
		t.Run(sentence, func(t *testing.T) { storeLargestStatus(t, names) })
	}
}

func storeLargestStatus(t *testing.T, names []string) {
	c := typedClient(t)
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: "largest-status"}}
	run.Spec.NodeNames, run.Spec.Benchmarks = names, []v1alpha1.BenchmarkRef{{Name: "b"}}
	if err := c.Create(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Delete(context.WithoutCancel(t.Context()), run) })
	for _, kind := range []string{"Finished", "Succeeded", "Reconciling", "Stalled", "Suspended"} {
		run.Status.Conditions = append(run.Status.Conditions, metav1.Condition{Type: kind, Status: "True", Reason: "R", LastTransitionTime: metav1.Now(), Message: strings.Repeat("<", 2048)})
	}
	members := make([]string, 16)
	for i := range members {
		members[i] = strings.Repeat("m", 253)
	}
	for range 50 {
		run.Status.Findings = append(run.Status.Findings, v1alpha1.FabricFinding{Kind: "Set", Benchmark: "b", Members: members, Message: strings.Repeat("é", 1024)})
	}
	for i := range 1024 {
		run.Status.Benchmarks = append(run.Status.Benchmarks, v1alpha1.BenchmarkSummary{Name: strings.Repeat("b", 63), Metric: fmt.Sprint("m", i), Unit: "GB/s",
			Median: "1.5", Min: "1.5", Max: "1.5", P5: "1.5", P95: "1.5"})
	}
	for i := range 100 {
		row := v1alpha1.NodeRow{Name: fmt.Sprintf("%s%03d", strings.Repeat("n", 250), i), Verdict: v1alpha1.VerdictFail, Message: strings.Repeat("ü", 512), Note: strings.Repeat("ü", 512)}
		for m := range 32 {
			row.Metrics = append(row.Metrics, v1alpha1.HeadlineValue{Benchmark: "b", Metric: fmt.Sprint("m", m), Unit: "GB/s", Value: "1.5", At: strings.Repeat("<", 128), Verdict: v1alpha1.VerdictFail})
		}
		run.Status.Nodes = append(run.Status.Nodes, row)
	}
	summary.FitStatus(&run.Status)
	if size := result.Size(run.Status); size > 256<<10 {
		t.Errorf("the status takes %d bytes", size)
	}
	if err := c.Status().Update(t.Context(), run); err != nil {
		t.Fatalf("the status is refused: %v", err)
	}
	if len(run.Status.Nodes) != 100 || len(run.Status.Findings) == 0 || len(run.Status.Benchmarks) == 0 {
		t.Errorf("%d rows, %d findings and %d summaries are stored; want all rows and some of the others",
			len(run.Status.Nodes), len(run.Status.Findings), len(run.Status.Benchmarks))
	}
}
