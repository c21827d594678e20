package message

import "github.com/assay-dev/assay/api/v1alpha1"

func init() {
	samples = append(samples,
		sample{"FailedAlikeUntainted", FailedAlikeUntainted(32, 32, "hbm/hbmTriad/Min")},
		sample{"RunSummary", RunSummary("", v1alpha1.RunSummary{Nodes: 2, NotJudged: 1, Passed: 1}, "node-4", "rate: node rate 42 GB/s")},
		sample{"WorstBenchmark", WorstBenchmark("rate", "node rate 42 GB/s", v1alpha1.VerdictInconclusive, 2, 4)},
	)
}
