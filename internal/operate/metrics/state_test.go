package metrics

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

var validated = time.Unix(1_700_000_000, 0)

// cluster is a cache with these objects in it, or one that fails.
type cluster struct {
	client.Reader
	runs       []v1alpha1.ValidationRun
	nodes      []v1alpha1.NodeValidation
	benchmarks []v1alpha1.Benchmark
	err        error
}

func (c cluster) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	switch l := list.(type) {
	case *v1alpha1.ValidationRunList:
		l.Items = c.runs
	case *v1alpha1.NodeValidationList:
		l.Items = c.nodes
	case *v1alpha1.BenchmarkList:
		l.Items = c.benchmarks
	}
	return c.err
}

// state of this cluster an hour after all was measured.
func (c cluster) state(perNode bool) *State {
	return &State{Reader: c, PerNode: perNode, Clock: clocktesting.NewFakePassiveClock(validated.Add(time.Hour))}
}

func run(v v1alpha1.Verdict) v1alpha1.ValidationRun {
	return v1alpha1.ValidationRun{Status: v1alpha1.ValidationRunStatus{Verdict: v}}
}

func node(name string, v v1alpha1.Verdict, values ...v1alpha1.HistoryValue) v1alpha1.NodeValidation {
	n := v1alpha1.NodeValidation{Verdict: v, ValidatedAt: metav1.NewTime(validated), Benchmarks: []v1alpha1.BenchmarkState{{Name: "empty"},
		{Name: "hbm", History: []v1alpha1.HistoryEntry{{Values: []v1alpha1.HistoryValue{{Metric: "hbmTriad", Unit: "GB/s", Value: "1"}}},
			{Values: values, Machine: &v1alpha1.Machine{Devices: "8 x H200"}}}}}}
	n.Name = name
	return n
}

func TestState(t *testing.T) {
	bad := node("gpu-2", v1alpha1.VerdictFail, v1alpha1.HistoryValue{Metric: "hbmTriad", Unit: "GB/s", Value: "many"})
	bad.Quarantine = &v1alpha1.Quarantine{Devices: []string{"GPU-3", "GPU-5"}}
	// The latest run could not measure gpu-1. What it proved a day before still counts.
	good := node("gpu-1", v1alpha1.VerdictError, v1alpha1.HistoryValue{Metric: "hbmTriad", Unit: "GB/s", Value: "3.61e3"})
	good.Proof = &v1alpha1.Proof{Verdict: v1alpha1.VerdictPass, MeasuredAt: metav1.NewTime(validated.Add(-23 * time.Hour))}
	good.Benchmarks[1].Warnings = []v1alpha1.Finding{{Rule: "Drift"}, {Rule: "Unstable"}, {Rule: "Drift"}}
	full := cluster{runs: []v1alpha1.ValidationRun{run("Pass"), run("Pass"), run("Fail"), run("")},
		nodes: []v1alpha1.NodeValidation{good, bad}}
	const counts = `
# HELP assay_benchmark_value Latest headline values over all nodes with the same devices, each node by its worst part, in the benchmark's unit.
# TYPE assay_benchmark_value summary
assay_benchmark_value{benchmark="hbm",devices="8 x H200",metric="hbmTriad",unit="GB/s",quantile="0"} 3610
assay_benchmark_value{benchmark="hbm",devices="8 x H200",metric="hbmTriad",unit="GB/s",quantile="0.05"} 3610
assay_benchmark_value{benchmark="hbm",devices="8 x H200",metric="hbmTriad",unit="GB/s",quantile="0.5"} 3610
assay_benchmark_value{benchmark="hbm",devices="8 x H200",metric="hbmTriad",unit="GB/s",quantile="0.95"} 3610
assay_benchmark_value{benchmark="hbm",devices="8 x H200",metric="hbmTriad",unit="GB/s",quantile="1"} 3610
assay_benchmark_value_sum{benchmark="hbm",devices="8 x H200",metric="hbmTriad",unit="GB/s"} 3610
assay_benchmark_value_count{benchmark="hbm",devices="8 x H200",metric="hbmTriad",unit="GB/s"} 1
# HELP assay_device_out_of_service 1 for each device that is out of service while others of its node may be used, for the ten nodes where this happened most recently; no series for others.
# TYPE assay_device_out_of_service gauge
assay_device_out_of_service{node="gpu-2",uuid="GPU-3"} 1
assay_device_out_of_service{node="gpu-2",uuid="GPU-5"} 1
# HELP assay_devices_out_of_service Single devices that Assay took out of service and that have not passed since, also where somebody else put them back. Each of their nodes counts in assay_nodes_quarantined, too.
# TYPE assay_devices_out_of_service gauge
assay_devices_out_of_service 2
# HELP assay_finding_ratio ` + findingHelp + `
# TYPE assay_finding_ratio gauge
assay_finding_ratio{benchmark="hbm",metric="",node="gpu-1",part="",rule="Drift",says="worse than its first passes",verdict="Warning"} +Inf
assay_finding_ratio{benchmark="hbm",metric="",node="gpu-1",part="",rule="Unstable",says="differs from itself, from one attempt to the next",verdict="Warning"} +Inf
# HELP assay_nodes Nodes by what was last proved of them, Pass or Fail; a node of which nothing is proved, by the verdict of its latest run.
# TYPE assay_nodes gauge
assay_nodes{verdict="Fail"} 1
assay_nodes{verdict="Pass"} 1
# HELP assay_nodes_quarantined Nodes that Assay tainted and that have not passed since, also where somebody else took the taint away.
# TYPE assay_nodes_quarantined gauge
assay_nodes_quarantined 1
# HELP assay_nodes_warned Nodes that benchmarks warn of without failing them, by rule: parts that drift, and unstable ones.
# TYPE assay_nodes_warned gauge
assay_nodes_warned{rule="Drift"} 1
assay_nodes_warned{rule="Unstable"} 1
# HELP assay_proof_age_seconds How long ago nodes were last proved fit or unfit, over all nodes of which something is proved. Quantiles 0 and 1 are the newest and the oldest proof.
# TYPE assay_proof_age_seconds summary
assay_proof_age_seconds{quantile="0"} 86400
assay_proof_age_seconds{quantile="0.05"} 86400
assay_proof_age_seconds{quantile="0.5"} 86400
assay_proof_age_seconds{quantile="0.95"} 86400
assay_proof_age_seconds{quantile="1"} 86400
assay_proof_age_seconds_sum 86400
assay_proof_age_seconds_count 1
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
# HELP assay_node_devices_out_of_service Devices of a node that are out of service while its others may be used; no series for other nodes.
# TYPE assay_node_devices_out_of_service gauge
assay_node_devices_out_of_service{node="gpu-2"} 2
# HELP assay_node_quarantined 1 for a node that Assay tainted and that has not passed since; no series for others.
# TYPE assay_node_quarantined gauge
assay_node_quarantined{node="gpu-2"} 1
# HELP assay_node_validated_timestamp_seconds When the measurement that last proved a node fit or unfit was started; of a node without proof, when its latest run judged it.
# TYPE assay_node_validated_timestamp_seconds gauge
assay_node_validated_timestamp_seconds{node="gpu-1",verdict="Pass"} 1.6999172e+09
assay_node_validated_timestamp_seconds{node="gpu-2",verdict="Fail"} 1.7e+09
# HELP assay_node_warnings What benchmarks warn of on nodes without failing them, by rule: parts that drift, and unstable ones.
# TYPE assay_node_warnings gauge
assay_node_warnings{benchmark="hbm",node="gpu-1",rule="Drift"} 2
assay_node_warnings{benchmark="hbm",node="gpu-1",rule="Unstable"} 1
`
	cases := map[string]struct {
		state *State
		want  string
	}{
		"series per node have to be asked for":             {full.state(false), counts},
		"latest values of nodes; what is no number is not": {full.state(true), counts + perNode},
		"an empty cluster": {cluster{}.state(true), `
# HELP assay_devices_out_of_service Single devices that Assay took out of service and that have not passed since, also where somebody else put them back. Each of their nodes counts in assay_nodes_quarantined, too.
# TYPE assay_devices_out_of_service gauge
assay_devices_out_of_service 0
# HELP assay_nodes_quarantined Nodes that Assay tainted and that have not passed since, also where somebody else took the taint away.
# TYPE assay_nodes_quarantined gauge
assay_nodes_quarantined 0
# HELP assay_nodes_warned Nodes that benchmarks warn of without failing them, by rule: parts that drift, and unstable ones.
# TYPE assay_nodes_warned gauge
assay_nodes_warned{rule="Drift"} 0
assay_nodes_warned{rule="Unstable"} 0
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
		if err := testutil.CollectAndCompare(cluster{err: errors.New("no cache")}.state(true), strings.NewReader("")); err == nil {
			t.Error("the scrape succeeded")
		}
	})
}

// TestWorstNodes: the worst are told whichever way a metric is better, and only where enough nodes are alike.
func TestWorstNodes(t *testing.T) {
	fleet := func(devices string, values ...string) (nodes []v1alpha1.NodeValidation) {
		for i, v := range values {
			n := node(fmt.Sprintf("%.4s-%d", devices, i), v1alpha1.VerdictPass, v1alpha1.HistoryValue{Metric: "m", Unit: "u", Value: v1alpha1.Decimal(v)})
			n.Benchmarks[1].History[1].Machine.Devices = devices
			nodes = append(nodes, n)
		}
		return nodes
	}
	series := func(devices, node string, ratio float64) string {
		return fmt.Sprintf("assay_worst_node_ratio{benchmark=\"hbm\",devices=%q,metric=\"m\",node=%q} %v\n", devices, node, ratio)
	}
	otherwise := fleet("other", "900")[0]
	otherwise.Benchmarks[1].History[1].Machine.Devices, otherwise.Benchmarks[1].History[1].Configuration = "H200", "smaller"
	cases := map[string]struct {
		better v1alpha1.Direction
		nodes  []v1alpha1.NodeValidation
		want   string
	}{
		"a bandwidth is worse where it is low": {v1alpha1.Higher, fleet("H200", "100", "101", "80", "100", "90"),
			series("H200", "H200-0", 1) + series("H200", "H200-2", 0.8) + series("H200", "H200-4", 0.9)},
		"a latency where it is high": {v1alpha1.Lower, fleet("H200", "10", "10", "20", "10", "0"),
			series("H200", "H200-0", 1) + series("H200", "H200-1", 1) + series("H200", "H200-2", 0.5)},
		"three nodes have no median to speak of": {v1alpha1.Higher, fleet("H200", "100", "50", "100"), ""},
		"other devices are another fleet": {v1alpha1.Higher, append(fleet("H200", "100", "100", "100", "100"), fleet("H100", "50", "50", "50", "50")...),
			series("H100", "H100-0", 1) + series("H100", "H100-1", 1) + series("H100", "H100-2", 1) +
				series("H200", "H200-0", 1) + series("H200", "H200-1", 1) + series("H200", "H200-2", 1)},
		"other parameters are another fleet": {v1alpha1.Higher, append(fleet("H200", "2000", "2000", "1990", "2000", "2000"), otherwise),
			series("H200", "H200-0", 1) + series("H200", "H200-1", 1) + series("H200", "H200-2", 0.995)},
		"what is no metric of a Benchmark is better in no way": {"", fleet("H200", "10", "10", "20", "10"), ""},
		"what counts errors may be zero everywhere":            {v1alpha1.Lower, fleet("H200", "0", "0", "0", "0"), ""},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			hbm := v1alpha1.Benchmark{}
			hbm.Name = "hbm"
			if c.better != "" {
				hbm.Spec.Metrics = []v1alpha1.Metric{{Name: "m", Better: c.better}}
			}
			want := c.want
			if want != "" {
				want = "# HELP assay_worst_node_ratio The three worst nodes of each metric, compared with the median of at least four nodes with the same devices that the same program measured with the same parameters: 0.8 is a fifth worse, whichever way the metric is better.\n# TYPE assay_worst_node_ratio gauge\n" + want
			}
			state := cluster{nodes: c.nodes, benchmarks: []v1alpha1.Benchmark{hbm}}.state(false)
			if n, want := testutil.CollectAndCount(state, "assay_benchmark_value"), fleets(c.nodes); n != want {
				t.Errorf("%d distributions, want %d: one for each kind of devices", n, want)
			}
			if err := testutil.CollectAndCompare(state, strings.NewReader(want), "assay_worst_node_ratio"); err != nil {
				t.Error(err)
			}
		})
	}
}

// fleets of nodes with the same devices.
func fleets(nodes []v1alpha1.NodeValidation) int {
	devices := map[string]bool{}
	for i := range nodes {
		devices[nodes[i].Benchmarks[1].History[1].Machine.Devices] = true
	}
	return len(devices)
}

// TestNodesThatAreGone leave no series behind.
func TestNodesThatAreGone(t *testing.T) {
	c := cluster{nodes: []v1alpha1.NodeValidation{node("gpu-1", v1alpha1.VerdictPass, v1alpha1.HistoryValue{Metric: "m", Unit: "u", Value: "1"}),
		node("gpu-2", v1alpha1.VerdictPass, v1alpha1.HistoryValue{Metric: "m", Unit: "u", Value: "1"})}}
	s := c.state(true)
	if n := testutil.CollectAndCount(s, "assay_node_benchmark_value"); n != 2 {
		t.Fatalf("%d nodes have values, want 2", n)
	}
	c.nodes = c.nodes[:1]
	s.Reader = c
	if n := testutil.CollectAndCount(s, "assay_node_benchmark_value"); n != 1 {
		t.Errorf("%d nodes have values after one was deleted, want 1", n)
	}
}
