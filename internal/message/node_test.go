package message

import (
	"errors"
	"time"
)

func init() {
	samples = append(samples,
		sample{"OwnTermsOnly", OwnTermsOnly("Min", "rate")},
		sample{"Superseded", Superseded()},
		sample{"TaintOfOthers", TaintOfOthers("assay.dev/unfit", "NoSchedule")},
		sample{"NotTainted", NotTainted(TaintBudgetSpent(1, 1))},
		sample{"OperatorBudgetSpent", OperatorBudgetSpent(10, 100, "", false, "", 10)},
		sample{"OperatorBudgetSpent", OperatorBudgetSpent(8, 80, "nvidia.com/gpu", false, "", 8)},
		sample{"OperatorBudgetSpent", OperatorBudgetSpent(2, 24, "nvidia.com/gpu", true, "p5.48xlarge", 2)},
		sample{"OperatorBudgetSpent", OperatorBudgetSpent(1, 1, "", true, "", 1)},
		sample{"NotCalledUnfit", NotCalledUnfit(OperatorBudgetSpent(10, 100, "", false, "", 10))},
		sample{"StrayLifted", StrayLifted()},
		sample{"ResultUnreadable", ResultUnreadable("nightly.node-7.0123456789", errors.New("json: cannot unmarshal string into Go struct field Attempt.number of type int32"))},
		sample{"TaintRefused", TaintRefused(5 * time.Minute)},
		sample{"TaintAdopted", TaintAdopted("nightly")},
		sample{"MarkLost", MarkLost("node-7")},
		sample{"Overtaken", Overtaken("node-7")},
		sample{"NotMeasuredBy", NotMeasuredBy("stream")},
		sample{"NotStored", NotStored(errors.New("etcdserver: request is too large"))},
		sample{"TriesAgain", TriesAgain(time.Second)},
		sample{"LooksAgain", LooksAgain(15 * time.Second)},
		sample{"NotStoredEither", NotStoredEither(errors.New("storing the result of node gpu-7: etcdserver: no leader"))},
		sample{"HistoriesToMove", HistoriesToMove(3)},
		sample{"HistoryForgotten", HistoryForgotten("stream")},
		sample{"HistoryRefused", HistoryRefused("etcdserver: request is too large")},
		sample{"FailedInRun", FailedInRun("nightly", "stream: triad 300 GB/s: expected at least 350 GB/s")},
		sample{"NotMeasuredInRun", NotMeasuredInRun("nightly", "stream: the program exited with code 1")},
		sample{"Tainted", Tainted("nightly", "assay.dev/unfit=nightly:NoSchedule", "stream: triad 300 GB/s: expected at least 350 GB/s")},
		sample{"Untainted", Untainted("nightly", "assay.dev/unfit:NoSchedule", "stream")},
	)
}
