package message

import (
	"errors"
	"time"
)

func init() {
	samples = append(samples,
		sample{"Superseded", Superseded()},
		sample{"TaintOfOthers", TaintOfOthers("assay.dev/unfit", "NoSchedule")},
		sample{"NotTainted", NotTainted(TaintBudgetSpent(1, 1))},
		sample{"ClusterBudgetSpent", ClusterBudgetSpent(10, 100, 10)},
		sample{"NotMeasuredBy", NotMeasuredBy("stream")},
		sample{"NotStored", NotStored(errors.New("etcdserver: request is too large"))},
		sample{"TriesAgain", TriesAgain(time.Second)},
		sample{"NotStoredEither", NotStoredEither(errors.New("storing the result of node gpu-7: etcdserver: no leader"))},
		sample{"HistoryRefused", HistoryRefused("etcdserver: request is too large")},
		sample{"FailedInRun", FailedInRun("nightly", "stream: triad 300 GB/s: expected at least 350 GB/s")},
		sample{"NotMeasuredInRun", NotMeasuredInRun("nightly", "stream: the program exited with code 1")},
		sample{"Tainted", Tainted("nightly", "assay.dev/unfit=nightly:NoSchedule", "stream: triad 300 GB/s: expected at least 350 GB/s")},
		sample{"Untainted", Untainted("nightly", "assay.dev/unfit:NoSchedule", "stream")},
	)
}
