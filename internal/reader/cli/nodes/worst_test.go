package nodes

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/clitest"
)

// A node is behind what is typical, or else the bound, by as much as its message says; one that is ahead, or whose metric no rule judges, is not.
func TestWorstIsWhatANodeIsBehindBy(t *testing.T) {
	for want, c := range map[string]v1alpha1.Conviction{
		"mpibench node bandwidth 2.769 MB/s, 73.4% behind typical 10.41 MB/s": {Benchmark: "mpibench", At: "node", Metric: "bandwidth", RuleNumbers: v1alpha1.RuleNumbers{Unit: "GB/s",
			Value: "0.002769", Typical: "0.01041", Bound: "0.00625"}},
		"stream triad 42 GB/s, 58% behind bound 100 GB/s":       {Benchmark: "stream", Metric: "triad", RuleNumbers: v1alpha1.RuleNumbers{Unit: "GB/s", Value: "42", Bound: "100"}},
		"rdma latency 7.5 us, 50% behind typical 5 us":          {Benchmark: "rdma", Metric: "latency", RuleNumbers: v1alpha1.RuleNumbers{Unit: "us", Value: "7.5", Typical: "5", Bound: "6"}},
		"pairs bandwidth 0 GB/s, 100% behind typical 12.2 GB/s": {Benchmark: "pairs", Metric: "bandwidth", RuleNumbers: v1alpha1.RuleNumbers{Unit: "GB/s", Value: "0", Typical: "12.2", Bound: "11"}},
		"inventory driver": {Benchmark: "inventory", Metric: "driver"},
		"inventory gpus 7": {Benchmark: "inventory", Metric: "gpus", RuleNumbers: v1alpha1.RuleNumbers{Value: "7"}},
	} {
		if got := convictedOf(&c).told(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for name, m := range map[string]v1alpha1.Metric{
		"recorded only": {Name: "triad"},
		"only present":  {Name: "triad", Expectation: &v1alpha1.Expectation{Min: "0"}},
		"judged":        {Name: "triad", Expectation: &v1alpha1.Expectation{MaxFleetDeviation: "0.05"}},
	} {
		f := newFleet(nil, []v1alpha1.Benchmark{{Spec: v1alpha1.BenchmarkSpec{Metrics: []v1alpha1.Metric{m}}}}, clitest.Noon)
		f.metrics[[2]string{"stream", "triad"}] = &m
		for node, value := range map[string]string{"ahead": "106", "behind": "90", "a": "100", "b": "100", "c": "100"} {
			f.addValidation(clitest.Validation(node, v1alpha1.VerdictPass, time.Hour, value, "2"), true)
		}
		want := map[string]string{"ahead": "", "a": "", "behind": ""}
		if name == "judged" {
			want["behind"] = "stream triad 90 GB/s, 10% behind typical 100 GB/s"
		}
		for _, row := range f.rows() {
			if got, asked := want[row.Name]; asked && row.Worst.told() != got {
				t.Errorf("%s: %s: got %q, want %q", name, row.Name, row.Worst.told(), got)
			}
		}
	}
}
