package message

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

func init() {
	const found, again = "node rate 42 GB/s: expected at least 100 GB/s", "node rate 103 GB/s"
	samples = append(samples,
		sample{"FailedAlikeUntainted", FailedAlikeUntainted(32, 32, "hbm/hbmTriad/Min")},
		sample{"RunSummary", RunSummary("", v1alpha1.RunSummary{Nodes: 2, NotJudged: 1, Passed: 1}, "node-4", "rate: node rate 42 GB/s")},
		sample{"WorstBenchmark", WorstBenchmark("rate", "node rate 42 GB/s", v1alpha1.VerdictInconclusive, 2, 4)},
		sample{"Suspect", Suspect(found, 1, 1, 3)},
		sample{"Suspect", Suspect(found, 2, 2, 3)},
		sample{"ReRunAwaitsFleet", ReRunAwaitsFleet(found, AwaitsFleet(again))},
		sample{"Convicted", Convicted(found, 1, 1)},
		sample{"Convicted", Convicted(found, 2, 2)},
		sample{"Convicted", Convicted(found, 3, 2)},
		sample{"Cleared", Cleared(found, 1, 2, again)},
		sample{"NotBeyondDoubt", NotBeyondDoubt(found, 2, 3, 101, 99.4, quantity.NewScale("GB/s", 101, 99.4))},
		sample{"CouldNotConfirm", CouldNotConfirm(found, v1alpha1.ReasonTimedOut, "killed after 600 s")},
		sample{"SuspectIsGone", SuspectIsGone("gpu3 rate 42 GB/s: expected at least 100 GB/s", 3)},
		sample{"NoOutlier", NoOutlier("gpu3 rate 42 GB/s: expected at least 100 GB/s", 1)},
		sample{"WrongDataAgain", WrongDataAgain(CheckFailed("residual", "1.2e-3 > 16"))},
	)
}
