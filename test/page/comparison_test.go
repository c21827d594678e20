package page_test

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/compare"
	"github.com/assay-dev/assay/internal/page"
)

// compared has a row of each outcome.
func compared() *compare.Comparison {
	from := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	rows := []compare.Row{
		row("gpustream", "hbmTriad", "gpu", "GB/s", compare.Better, 4395, 4415, 0.45), row("p2p", "writeBandwidth", "gpu->gpu", "GB/s", compare.Worse, 395.4, 371.2, -6.1),
		row("gemm", "fp64", "gpu", "TFLOP/s", compare.Same, 53.3, 53.4, 0.2), row("nbody", "nbody", "1gpu", "TFLOP/s", compare.TooFew, 27.5, 27.4, -0.3),
		row("burn", "temperature", "gpu", "C", compare.Differs, 61, 57, -6.5), row("md", "md", "4gpu", "TFLOP/s", compare.NotComparable, 28, 29, 3),
	}
	rows[1].Parts = []compare.Part{{Nodes: []string{"gpu-0300"}, At: "gpu2->gpu3", A: new(395.5), B: new(320.4), Percent: new(-19.0)}}
	rows[3].Why, rows[3].Estimate = "2 values are too few to tell", nil
	return &compare.Comparison{
		Schema: compare.Schema, Confidence: 0.95, Tested: 4,
		A:             compare.About{Name: "before", Runs: []compare.Run{{Cluster: "hall-3", Name: "rack-7"}}, Nodes: 16, From: &from, LeftOut: compare.LeftOut{Disturbed: 2}},
		B:             compare.About{Name: "after", Runs: []compare.Run{{Cluster: "hall-3", Name: "rack-7-new"}}, Nodes: 16, Groups: 8},
		Configuration: []compare.Difference{{Name: "driver", A: []compare.Share{{Value: "570.86", Count: 16}}, B: []compare.Share{{Value: "580.159", Count: 14}, {Value: "570.86", Count: 2}}}},
		Rows:          rows, Benchmarks: []compare.Mean{{Benchmark: "gpustream", Percent: 0.45, Rows: 1, Better: 1}, {Benchmark: "p2p", Percent: -6.1, Rows: 1, Worse: 1}, {Benchmark: "gemm", Percent: 0.2, Rows: 1, Same: 1}},
		Overall: &compare.Mean{Percent: -1.9, Rows: 3, Better: 1, Worse: 1, Same: 1},
	}
}

func row(benchmark, metric, kind, unit string, outcome compare.Outcome, a, b, percent float64) compare.Row {
	return compare.Row{Benchmark: benchmark, Metric: metric, Kind: kind, Unit: unit, Better: v1alpha1.Higher, Outcome: outcome,
		A: compare.Summary{Parts: 128, Nodes: 16, Median: &a}, B: compare.Summary{Parts: 128, Nodes: 16, Median: &b},
		Estimate: &compare.Estimate{Percent: percent, Low: percent - 0.3, High: percent + 0.3, P: 0.001, Corrected: 0.004, Test: compare.SignedRank, Paired: true, UnitsA: 16, UnitsB: 16}}
}

func comparison(t *testing.T) []byte {
	t.Helper()
	return writeComparison(t, compared())
}

func hostileComparison(t *testing.T, attack string) []byte {
	t.Helper()
	c := compared()
	fill(reflect.ValueOf(c).Elem(), attack, true)
	return writeComparison(t, c)
}

func writeComparison(t *testing.T, c *compare.Comparison) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := page.WriteComparison(&out, c); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
