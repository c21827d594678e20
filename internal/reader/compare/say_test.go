package compare

import (
	"slices"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// The mean is that of the headlines: it must not hide what happened to another metric.
func TestTheConclusionNamesWhatTheMeanDoesNotCount(t *testing.T) {
	row := func(metric string, headline bool, o Outcome, percent float64) Row {
		return Row{Benchmark: "gemm", Metric: metric, Better: v1alpha1.Higher, Headline: headline, Outcome: o, Estimate: &Estimate{Percent: percent}}
	}
	differs := row("clock", false, Differs, 3)
	differs.Better = ""
	hidden := row("recorded", false, Worse, -50)
	hidden.Unlisted = true
	for name, tc := range map[string]struct {
		rows []Row
		want []string
	}{
		"nothing differs": {[]Row{row("bf16", true, Same, -0.05)}, []string{"1 headline metric compared: no difference that noise does not explain"}},
		"another is worse": {[]Row{row("bf16", true, Same, -0.05), row("tf32", false, Worse, -20), hidden},
			[]string{"1 headline metric compared: no difference that noise does not explain", "1 other metric is worse: gemm tf32"}},
		"no direction": {[]Row{row("bf16", true, Better, 10), differs}, []string{
			"B is 10% better, by the geometric mean of 1 benchmark with 1 headline metric: 1 better, 0 worse, 0 that noise explains", "1 other metric is different: gemm clock"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := Comparison{Rows: tc.rows}
			c.Benchmarks, c.Overall = means(c.Rows)
			if got := c.Conclusion(); !slices.Equal(got, tc.want) {
				t.Errorf("%q", got)
			}
		})
	}
}
