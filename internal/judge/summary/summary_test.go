package summary

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

const bench = "hbm"

// triad is a headline metric; change adapts it.
func triad(change ...func(*v1alpha1.Metric)) v1alpha1.Metric {
	m := v1alpha1.Metric{Name: "hbmTriad", Unit: "GB/s", Better: v1alpha1.Higher, Headline: true}
	for _, c := range change {
		c(&m)
	}
	return m
}

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
	got := Summarise([]v1alpha1.Metric{{Name: "latency", Unit: "us", Better: v1alpha1.Lower, Headline: true}}, bench, [][]v1alpha1.HeadlineValue{node("1.6", "50"), node("2", "40")})
	if len(got) != 1 || got[0].PercentOfPeak != "44.4" { // 0.8 of 1.8
		t.Errorf("summary: %+v", got)
	}
}

func TestSummariseConvertsUnits(t *testing.T) {
	node := func(value, unit, percent string) []v1alpha1.HeadlineValue {
		return []v1alpha1.HeadlineValue{{Benchmark: bench, Metric: "hbmTriad", Unit: unit, Value: v1alpha1.Decimal(value), PercentOfPeak: v1alpha1.Decimal(percent)}}
	}
	for sentence, tt := range map[string]struct {
		other, percent, want string
	}{
		"of one peak":                  {"4.4", "91.7", "87.5"},
		"of a peak that none reaches":  {"4.4", "0", ""},
		"beside one that measured 0":   {"0", "91.7", ""},
		"beside one that has no share": {"4.4", "", ""},
	} {
		got := Summarise([]v1alpha1.Metric{triad()}, bench, [][]v1alpha1.HeadlineValue{node("4000", "GB/s", "83.3"), node(tt.other, "TB/s", tt.percent)})
		if len(got) != 1 || got[0].Nodes != 2 || got[0].Min == got[0].Max || got[0].PercentOfPeak != v1alpha1.Decimal(tt.want) {
			t.Errorf("%s: %+v, want %q of peak", sentence, got, tt.want)
		}
		if tt.other == "4.4" && got[0].Median != "4200" {
			t.Errorf("%s: the median is %s, want 4200", sentence, got[0].Median)
		}
	}
}

// Only headline metrics are summed up, whatever rows have.
func TestSummariseLeavesOutOtherMetrics(t *testing.T) {
	quiet := triad(func(m *v1alpha1.Metric) { m.Headline = false })
	row := []v1alpha1.HeadlineValue{{Benchmark: bench, Metric: quiet.Name, Unit: "GB/s", Value: "1"}}
	if got := Summarise([]v1alpha1.Metric{quiet}, bench, [][]v1alpha1.HeadlineValue{row}); got != nil {
		t.Errorf("got %+v", got)
	}
}
