package message

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

func init() {
	const failed, again = "node rate 42 GB/s: expected at least 100 GB/s", "node rate 103 GB/s"
	samples = append(samples,
		sample{"WrongDataIn", WrongDataIn(CheckFailed("residual", "1.2e-3 > 16"), 1, 1)},
		sample{"WrongDataIn", WrongDataIn(CheckFailed("residual", "1.2e-3 > 16"), 1, 2)},
		sample{"NoBenchmarkYet", NoBenchmarkYet()},
		sample{"StillToJudge", StillToJudge([]string{"stream", "hpl"})},
		sample{"SomePassed", SomePassed(3, 4, []string{"p2p"})},
		sample{"AllPassed", AllPassed(4)},
		sample{"WorstBenchmark", WorstBenchmark("rate", failed, v1alpha1.VerdictFail, 1, 4)},
		sample{"WorstBenchmark", WorstBenchmark("rate", failed, v1alpha1.VerdictFail, 2, 4)},
		sample{"WorstBenchmark", WorstBenchmark("p2p", "only one GPU", v1alpha1.VerdictSkipped, 2, 2)},
		sample{"WorstBenchmark", WorstBenchmark("hpl", "killed after 600 s", v1alpha1.VerdictError, 2, 3)},
		sample{"WorstBenchmark", WorstBenchmark("hpl", NotReported("hpl", ""), v1alpha1.VerdictMissing, 2, 3)},
		sample{"WorstBenchmark", WorstBenchmark("hpl", again, v1alpha1.VerdictPass, 2, 2)},
		sample{"RunSummary", RunSummary("", v1alpha1.RunSummary{Nodes: 1, Passed: 1}, "", "")},
		sample{"RunSummary", RunSummary("", v1alpha1.RunSummary{Nodes: 5, Failed: 1, Errored: 1, Skipped: 1, Passed: 2, Tainted: 1}, "node-4", "rate: "+failed)},
		sample{"RunSummary", RunSummary(DeadlinePassed(CutByDeadline), v1alpha1.RunSummary{Nodes: 3, Passed: 1, Running: 1, Pending: 1}, "", "")},
		sample{"NoNodeMatches", NoNodeMatches()},
		sample{"AllSkipped", AllSkipped()},
		sample{"NotProved", NotProved(failed, Doubt{Missed: 1, Pairs: 3, Needed: 2})},
		sample{"NotProved", NotProved(failed, Doubt{Missed: 2, Pairs: 2, Needed: 2, WithinNoise: true, Noise: 0.023})},
		sample{"NotProved", NotProved(failed, Doubt{Missed: 1, Pairs: 1, Needed: 2, WithinNoise: true, Noise: 1.4})},
		sample{"RuleOf", RuleOf("Min", "rate")},
		sample{"RuleOf", RuleOf("DataCheck", "")},
		sample{"FewerPartsHeld", FewerPartsHeld("Min", "hbmTriad", 7, 8)},
		sample{"StillBeyondBound", StillBeyondBound("FleetDeviation", "hbmTriad", 3100, 4000, quantity.NewScale("GB/s", 3100, 4000))},
		sample{"OtherParameters", OtherParameters("hpl")},
		sample{"AskedForLess", AskedForLess("Min", "rate", "10", "90")},
		sample{"NotJudgedHere", NotJudgedHere("Min", "rate", "")},
		sample{"HeldNotAlways", HeldNotAlways("Min", "rate")},
		sample{"TakesOtherNodes", NotJudgedHere("NodeDeviation", "rate", TakesOtherNodes())},
		sample{"NotJudgedHere", NotJudgedHere("Regression", "rate", NotJudged("rate", "", "its history", TooFewPasses(2, 3)))},
		sample{"UnknownMetric", UnknownMetric("hbm", "hbmTraid")},
		sample{"MetricWithoutPeak", MetricWithoutPeak("hbm", "energy", "minFractionOfPeak")},
		sample{"MetricWithoutScaling", MetricWithoutScaling("hbm", "energy")},
		sample{"MetricUnreadable", MetricUnreadable("hbm", "energy", NotANumber("max", "1e999"))},
		sample{"ProfileLeftOut", ProfileLeftOut("h200")},
	)
}
