package verdict

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func TestSummarise(t *testing.T) {
	row := func(value, percent string) []v1alpha1.HeadlineValue {
		return []v1alpha1.HeadlineValue{
			{Benchmark: "other", Metric: "hbmTriad", Unit: "GB/s", Value: "1"},
			{Benchmark: bench, Metric: "hbmTriad", Unit: "GB/s", Value: v1alpha1.Decimal(value), PercentOfPeak: v1alpha1.Decimal(percent)},
		}
	}
	tests := map[string]struct {
		nodes [][]v1alpha1.HeadlineValue
		want  []v1alpha1.BenchmarkSummary
	}{
		"no node, no line": {nil, nil},
		"one node": {[][]v1alpha1.HeadlineValue{row("4000", "83.3")}, []v1alpha1.BenchmarkSummary{
			{Nodes: 1, Median: "4000", Min: "4000", Max: "4000", P5: "4000", P95: "4000", PercentOfPeak: "83.3"}}},
		"percent of the peak that all nodes share": {[][]v1alpha1.HeadlineValue{row("4000", "83.3"), row("4400", "91.7"), row("4200", "87.5")},
			[]v1alpha1.BenchmarkSummary{{Nodes: 3, Median: "4200", Min: "4000", Max: "4400", P5: "4020", P95: "4380", PercentOfPeak: "87.5"}}},
		"no percent where the peaks differ": {[][]v1alpha1.HeadlineValue{row("3000", "90"), row("4400", "91.7")},
			[]v1alpha1.BenchmarkSummary{{Nodes: 2, Median: "3700", Min: "3000", Max: "4400", P5: "3070", P95: "4330"}}},
		"no percent where one node has no peak; numbers that are none do not count": {
			[][]v1alpha1.HeadlineValue{row("3000", ""), row("4400", "91.7"), row("1e999", "5"), {}},
			[]v1alpha1.BenchmarkSummary{{Nodes: 2, Median: "3700", Min: "3000", Max: "4400", P5: "3070", P95: "4330"}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for i := range tt.want {
				tt.want[i].Name, tt.want[i].Metric, tt.want[i].Unit = bench, "hbmTriad", "GB/s"
			}
			quiet := triad(func(m *v1alpha1.Metric) { m.Name, m.Headline = "hbmCopy", false })
			if diff := cmp.Diff(tt.want, Summarise([]v1alpha1.Metric{quiet, triad()}, bench, tt.nodes)); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSummariseSharesOfALeastPeak(t *testing.T) {
	node := func(value, percent string) []v1alpha1.HeadlineValue {
		return []v1alpha1.HeadlineValue{{Benchmark: bench, Metric: "latency", Unit: "us", Value: v1alpha1.Decimal(value), PercentOfPeak: v1alpha1.Decimal(percent)}}
	}
	got := Summarise([]v1alpha1.Metric{latency(v1alpha1.Expectation{})}, bench, [][]v1alpha1.HeadlineValue{node("1.6", "50"), node("2", "40")})
	if len(got) != 1 || got[0].PercentOfPeak != "44.4" { // 0.8 of 1.8
		t.Errorf("summary: %+v", got)
	}
}
