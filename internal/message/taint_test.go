package message

import "github.com/assay-dev/assay/api/v1alpha1"

func init() {
	c := v1alpha1.Conviction{Run: v1alpha1.ObjectReference{Name: "rack-7"}, Benchmark: "hbm", Rule: "FleetDeviation", Metric: "hbmTriad", At: "gpu3",
		Value: "3610", Unit: "GB/s", Bound: "4161"}
	pairs, data := c, c
	pairs.Benchmark, pairs.Rule, pairs.Metric, pairs.At, pairs.Bound = "pairs", "Blame", "bandwidth", "", ""
	data.Rule, data.Metric, data.At, data.Value, data.Unit, data.Bound = "DataCheck", "", "", "", "", ""
	fact := v1alpha1.Conviction{Benchmark: "inventory", Metric: "vbios", Rule: "FactUniform", At: "gpu0", Expected: "96.00.B1", Run: v1alpha1.ObjectReference{Name: "monday"}}
	samples = append(samples,
		sample{"TooManyFailed", TooManyFailed(2, 0, 8, 1)},
		sample{"TooManyFailed", TooManyFailed(1, 1, 8, 1)},
		sample{"TooManyFailed", TooManyFailed(1, 3, 8, 0)},
		sample{"FailedAlike", FailedAlike(3, 4, "hbm/hbmTriad/Min")},
		sample{"FailedAlikeElsewhere", FailedAlikeElsewhere(3, 0, "hbm/hbmTriad/Min", "p5.48xlarge", 7)},
		sample{"FailedAlikeElsewhere", FailedAlikeElsewhere(5, 2, "hbm/hbmTriad/Min", "", 7)},
		sample{"FirstTaintWaits", FirstTaintWaits(1, 40, 4)},
		sample{"TaintBudgetSpent", TaintBudgetSpent(2, 2)},
		sample{"KeyNotAllowed", KeyNotAllowed("nvidia.com/gpu", "assay.dev")},
		sample{"NoExecuteNotAllowed", NoExecuteNotAllowed()},
		sample{"StillUnfit", StillUnfit(&c, NotJudgedHere(c.Rule, c.Metric, ""), 2)},
		sample{"StillUnfit", StillUnfit(&pairs, NotJudgedHere(pairs.Rule, pairs.Metric, ""), 1)},
		sample{"StillUnfit", StillUnfit(&data, OtherParameters("hbm"), 1)},
		sample{"StillUnfit", StillUnfit(&fact, NotJudgedHere(fact.Rule, fact.Metric, FactNotCompared("vbios", "gpu0", "96.00.A5", "96.00.B1", 1, 3)), 1)},
	)
}
