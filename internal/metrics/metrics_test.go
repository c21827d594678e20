package metrics

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

var validated = time.Unix(1_700_000_000, 0)

// cluster is a cache with these runs and nodes in it, or one that fails.
type cluster struct {
	client.Reader
	runs  []v1alpha1.ValidationRun
	nodes []v1alpha1.NodeValidation
	err   error
}

func (c cluster) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	switch l := list.(type) {
	case *v1alpha1.ValidationRunList:
		l.Items = c.runs
	case *v1alpha1.NodeValidationList:
		l.Items = c.nodes
	}
	return c.err
}

func run(v v1alpha1.Verdict) v1alpha1.ValidationRun {
	return v1alpha1.ValidationRun{Status: v1alpha1.ValidationRunStatus{Verdict: v}}
}

func node(name string, v v1alpha1.Verdict, values ...v1alpha1.HistoryValue) v1alpha1.NodeValidation {
	n := v1alpha1.NodeValidation{Verdict: v, ValidatedAt: metav1.NewTime(validated), Benchmarks: []v1alpha1.BenchmarkHistory{{Name: "empty"},
		{Name: "hbm", History: []v1alpha1.HistoryEntry{{Values: []v1alpha1.HistoryValue{{Metric: "hbmTriad", Unit: "GB/s", Value: "1"}}}, {Values: values}}}}}
	n.Name = name
	return n
}

func TestState(t *testing.T) {
	bad := node("gpu-2", v1alpha1.VerdictFail, v1alpha1.HistoryValue{Metric: "hbmTriad", Unit: "GB/s", Value: "many"})
	bad.Quarantine = &v1alpha1.Quarantine{}
	// The latest run could not measure gpu-1. What it proved a day before still counts.
	good := node("gpu-1", v1alpha1.VerdictError, v1alpha1.HistoryValue{Metric: "hbmTriad", Unit: "GB/s", Value: "3.61e3"})
	good.Proof = &v1alpha1.Proof{Verdict: v1alpha1.VerdictPass, MeasuredAt: metav1.NewTime(validated.Add(-24 * time.Hour))}
	good.Benchmarks[1].Warnings = []v1alpha1.Finding{{Rule: "Drift"}, {Rule: "Unstable"}, {Rule: "Drift"}}
	full := cluster{runs: []v1alpha1.ValidationRun{run("Pass"), run("Pass"), run("Fail"), run("")},
		nodes: []v1alpha1.NodeValidation{good, bad}}
	const counts = `
# HELP assay_node_warnings What benchmarks warn of on nodes without failing them, by rule: parts that drift, and unstable ones.
# TYPE assay_node_warnings gauge
assay_node_warnings{benchmark="hbm",node="gpu-1",rule="Drift"} 2
assay_node_warnings{benchmark="hbm",node="gpu-1",rule="Unstable"} 1
# HELP assay_nodes Nodes by what was last proved of them, Pass or Fail; a node of which nothing is proved, by the verdict of its latest run.
# TYPE assay_nodes gauge
assay_nodes{verdict="Fail"} 1
assay_nodes{verdict="Pass"} 1
# HELP assay_nodes_quarantined Nodes that Assay tainted and that have not passed since, also where somebody else took the taint away.
# TYPE assay_nodes_quarantined gauge
assay_nodes_quarantined 1
# HELP assay_runs Validation runs in the cluster, by verdict.
# TYPE assay_runs gauge
assay_runs{verdict="Fail"} 1
assay_runs{verdict="Pass"} 2
assay_runs{verdict="Pending"} 1
`
	const perNode = `
# HELP assay_node_benchmark_value Latest headline value of a node's worst part, in the benchmark's unit.
# TYPE assay_node_benchmark_value gauge
assay_node_benchmark_value{benchmark="hbm",metric="hbmTriad",node="gpu-1",unit="GB/s"} 3610
# HELP assay_node_validated_timestamp_seconds When the measurement that last proved a node fit or unfit was started; of a node without proof, when its latest run judged it.
# TYPE assay_node_validated_timestamp_seconds gauge
assay_node_validated_timestamp_seconds{node="gpu-1",verdict="Pass"} 1.6999136e+09
assay_node_validated_timestamp_seconds{node="gpu-2",verdict="Fail"} 1.7e+09
`
	cases := map[string]struct {
		state *State
		want  string
	}{
		"series per node have to be asked for":             {&State{Reader: full}, counts},
		"latest values of nodes; what is no number is not": {&State{Reader: full, PerNode: true}, counts + perNode},
		"an empty cluster": {&State{Reader: cluster{}}, `
# HELP assay_nodes_quarantined Nodes that Assay tainted and that have not passed since, also where somebody else took the taint away.
# TYPE assay_nodes_quarantined gauge
assay_nodes_quarantined 0
`},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			if err := testutil.CollectAndCompare(c.state, strings.NewReader(c.want)); err != nil {
				t.Error(err)
			}
			if problems, err := testutil.CollectAndLint(c.state); err != nil || len(problems) > 0 {
				t.Errorf("the metrics' names are not as they should be: %v %v", problems, err)
			}
		})
	}
	t.Run("a cache that cannot be read is an error, not a zero", func(t *testing.T) {
		if err := testutil.CollectAndCompare(&State{Reader: cluster{err: errors.New("no cache")}}, strings.NewReader("")); err == nil {
			t.Error("the scrape succeeded")
		}
	})
}

func TestRecorder(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	r := New(registry)
	r.RunFinished(v1alpha1.VerdictPass)
	r.AttemptStored("hbm", &v1alpha1.Attempt{Verdict: v1alpha1.VerdictPass, StartTime: &metav1.Time{Time: validated}, EndTime: &metav1.Time{Time: validated.Add(4 * time.Second)}})
	r.AttemptStored("hbm", &v1alpha1.Attempt{Verdict: v1alpha1.VerdictError}) // never started: no duration
	r.TaintAdded()
	r.TaintAdded()
	r.TaintRemoved()
	want := `
# HELP assay_attempts_total Benchmark attempts stored, by benchmark and verdict.
# TYPE assay_attempts_total counter
assay_attempts_total{benchmark="hbm",verdict="Error"} 1
assay_attempts_total{benchmark="hbm",verdict="Pass"} 1
# HELP assay_runs_finished_total Validation runs that finished, by verdict.
# TYPE assay_runs_finished_total counter
assay_runs_finished_total{verdict="Error"} 0
assay_runs_finished_total{verdict="Fail"} 0
assay_runs_finished_total{verdict="Inconclusive"} 0
assay_runs_finished_total{verdict="Pass"} 1
# HELP assay_taints_added_total Nodes tainted because they failed.
# TYPE assay_taints_added_total counter
assay_taints_added_total 2
# HELP assay_taints_removed_total Taints lifted because the node passed again.
# TYPE assay_taints_removed_total counter
assay_taints_removed_total 1
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "assay_attempts_total", "assay_runs_finished_total",
		"assay_taints_added_total", "assay_taints_removed_total"); err != nil {
		t.Error(err)
	}
	if n, err := testutil.GatherAndCount(registry, "assay_benchmark_duration_seconds"); err != nil || n != 1 {
		t.Errorf("%d histograms, error %v", n, err)
	}
	if problems, err := testutil.GatherAndLint(registry); err != nil || len(problems) > 0 {
		t.Errorf("the metrics' names are not as they should be: %v %v", problems, err)
	}
}
