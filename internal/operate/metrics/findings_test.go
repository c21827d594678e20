package metrics

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestAtMostTenNodesOfAKindAreNamed: those that were quarantined last, each by what it misses most, and those that are warned of.
func TestAtMostTenNodesOfAKindAreNamed(t *testing.T) {
	var nodes []v1alpha1.NodeValidation
	for i := range 50 {
		n := v1alpha1.NodeValidation{Convictions: []v1alpha1.Conviction{
			{Benchmark: "gemm", Metric: "fp32", At: "gpu0", Rule: "Min", RuleNumbers: v1alpha1.RuleNumbers{Value: "90", Bound: "100"}},
			{Benchmark: "hbm", Metric: "hbmTriad", At: "gpu1", Rule: "FleetDeviation", RuleNumbers: v1alpha1.RuleNumbers{Value: "3", Bound: "4"}},
		}}
		n.Name = fmt.Sprintf("node-%02d", i)
		n.Quarantine = &v1alpha1.Quarantine{Since: metav1.NewTime(validated.Add(time.Duration(i%25) * time.Minute))}
		n.Benchmarks = []v1alpha1.BenchmarkState{{Name: "hbm", Warnings: []v1alpha1.Finding{
			{Metric: "hbmTriad", At: "gpu2", Rule: "Drift"}, {Metric: "hbmCopy", At: "gpu2", Rule: "Drift"}, {Metric: "hbmCopy", At: "gpu3", Rule: "Unstable"}}}}
		nodes = append(nodes, n)
	}
	nodes[24].Convictions[0].RuleNumbers = v1alpha1.RuleNumbers{} // wrong data, say: no number is worse
	nodes[49].Convictions = nil
	want := "# HELP assay_finding_ratio " + findingHelp + "\n# TYPE assay_finding_ratio gauge\n" +
		`assay_finding_ratio{benchmark="gemm",metric="fp32",node="node-24",part="gpu0",rule="Min",says="worse than the minimum that is expected",verdict="Fail"} +Inf` + "\n"
	for _, i := range []int{23, 48, 22, 47, 21, 46, 20, 45, 19} {
		want += fmt.Sprintf(`assay_finding_ratio{benchmark="hbm",metric="hbmTriad",node="node-%02d",part="gpu1",rule="FleetDeviation",says="worse than others like it",verdict="Fail"} 0.25`, i) + "\n"
	}
	for i := range 10 {
		want += fmt.Sprintf(`assay_finding_ratio{benchmark="hbm",metric="hbmTriad",node="node-%02d",part="gpu2",rule="Drift",says="worse than its first passes",verdict="Warning"} +Inf`, i) + "\n" +
			fmt.Sprintf(`assay_finding_ratio{benchmark="hbm",metric="hbmCopy",node="node-%02d",part="gpu3",rule="Unstable",says="differs from itself, from one attempt to the next",verdict="Warning"} +Inf`, i) + "\n"
	}
	if err := testutil.CollectAndCompare(cluster{nodes: nodes}.state(false), strings.NewReader(want), "assay_finding_ratio"); err != nil {
		t.Error(err)
	}
}

// TestDevicesOfAtMostTenNodesAreNamed: those that were taken out of service last, whatever nodes were tainted as a whole since.
func TestDevicesOfAtMostTenNodesAreNamed(t *testing.T) {
	var nodes []v1alpha1.NodeValidation
	for i := range 50 {
		n := v1alpha1.NodeValidation{}
		n.Name = fmt.Sprintf("node-%02d", i)
		n.Quarantine = &v1alpha1.Quarantine{Since: metav1.NewTime(validated.Add(time.Duration(i) * time.Minute))}
		if i < 20 {
			n.Quarantine.Devices = []string{fmt.Sprintf("GPU-%02d", i)}
		}
		nodes = append(nodes, n)
	}
	want := "# HELP assay_device_out_of_service 1 for each device that is out of service while others of its node may be used, for the ten nodes where this happened most recently; no series for others.\n# TYPE assay_device_out_of_service gauge\n"
	for i := 10; i < 20; i++ {
		want += fmt.Sprintf("assay_device_out_of_service{node=\"node-%02d\",uuid=\"GPU-%02d\"} 1\n", i, i)
	}
	if err := testutil.CollectAndCompare(cluster{nodes: nodes}.state(false), strings.NewReader(want), "assay_device_out_of_service"); err != nil {
		t.Error(err)
	}
}
