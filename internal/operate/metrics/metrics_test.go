package metrics

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func TestRecorder(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	r := New(registry)
	r.BenchmarkSeen("stream") // and not measured yet
	r.RunFinished(v1alpha1.VerdictPass)
	r.AttemptStored("hbm", &v1alpha1.Attempt{Verdict: v1alpha1.VerdictPass, StartTime: &metav1.Time{Time: validated}, EndTime: &metav1.Time{Time: validated.Add(4 * time.Second)},
		Cost: &v1alpha1.Cost{GPUSeconds: 32, Joules: 16_000}})
	r.AttemptStored("hbm", &v1alpha1.Attempt{Verdict: v1alpha1.VerdictError}) // never started: no duration
	r.TaintAdded()
	r.TaintAdded()
	r.TaintRemoved()
	want := `
# HELP assay_attempts_total Benchmark attempts stored, by benchmark and verdict.
# TYPE assay_attempts_total counter
assay_attempts_total{benchmark="hbm",verdict="Error"} 1
assay_attempts_total{benchmark="hbm",verdict="Pass"} 1
assay_attempts_total{benchmark="stream",verdict="Error"} 0
assay_attempts_total{benchmark="stream",verdict="Fail"} 0
assay_attempts_total{benchmark="stream",verdict="Pass"} 0
# HELP assay_gpu_joules_total Energy that GPUs used while benchmark programs ran, as far as their power was read, by benchmark.
# TYPE assay_gpu_joules_total counter
assay_gpu_joules_total{benchmark="hbm"} 16000
assay_gpu_joules_total{benchmark="stream"} 0
# HELP assay_gpu_seconds_total Time for which benchmark programs ran, times the GPUs that their pods held, by benchmark.
# TYPE assay_gpu_seconds_total counter
assay_gpu_seconds_total{benchmark="hbm"} 32
assay_gpu_seconds_total{benchmark="stream"} 0
# HELP assay_runs_finished_total Validation runs that finished, by verdict.
# TYPE assay_runs_finished_total counter
assay_runs_finished_total{verdict="Error"} 0
assay_runs_finished_total{verdict="Fail"} 0
assay_runs_finished_total{verdict="Inconclusive"} 0
assay_runs_finished_total{verdict="Pass"} 1
# HELP assay_taints_added_total Nodes tainted because they failed.
# TYPE assay_taints_added_total counter
assay_taints_added_total 2
# HELP assay_taints_removed_total Taints taken off nodes that passed again, or whose record explains none.
# TYPE assay_taints_removed_total counter
assay_taints_removed_total 1
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "assay_attempts_total", "assay_gpu_joules_total", "assay_gpu_seconds_total", "assay_runs_finished_total",
		"assay_taints_added_total", "assay_taints_removed_total"); err != nil {
		t.Error(err)
	}
	if n, err := testutil.GatherAndCount(registry, "assay_benchmark_duration_seconds"); err != nil || n != 2 {
		t.Errorf("%d histograms, error %v", n, err)
	}
	if problems, err := testutil.GatherAndLint(registry); err != nil || len(problems) > 0 {
		t.Errorf("the metrics' names are not as they should be: %v %v", problems, err)
	}
}
