package message

import (
	"errors"
	"time"
)

func init() {
	samples = append(samples,
		sample{"PodRuns", PodRuns("stream-0123456789abcdef")},
		sample{"GroupRuns", GroupRuns("osu-latency", "node-2, node-3", "osu-latency-0123456789abcdef")},
		sample{"AttemptStarts", AttemptStarts("stream", 1)},
		sample{"AttemptCollected", AttemptCollected(1, "pod stream-0123456789abcdef")},
		sample{"AttemptRepeated", AttemptRepeated(1, "MPIJob osu-latency-0123456789abcdef")},
		sample{"AttemptStopped", AttemptStopped(1, "pod stream-0123456789abcdef")},
		sample{"NotMeasuredInTime", NotMeasuredInTime(CutByDeadline, WaitsForItsTurn(4), 40)},
		sample{"PodNotStarted", PodNotStarted("stream-0123456789abcdef")},
		sample{"ProgramRan", ProgramRan(38*time.Second, 300*time.Second)},
		sample{"WaitsForBenchmark", WaitsForBenchmark("stream")},
		sample{"NotMeasuredWithOthers", NotMeasuredWithOthers()},
		sample{"PairsReading", PairsReading("latency", "us", 94.07, 12, 3965, 3)},
		sample{"PairsReading", PairsReading("busbw", "GB/s", 180, 180, 180, 1)},
		sample{"WithReading", WithReading("the node itself is fine", PairsReading("latency", "us", 94.07, 12, 3965, 3))},
		sample{"SuspendedAt", SuspendedAt("3/4")},
		sample{"Suspended", Suspended()},
		sample{"Measuring", Measuring(2, "2/4")},
		sample{"Measuring", Measuring(1, "3/4")},
		sample{"Ending", Ending("4/4", WaitsForEnd(PodToEnd("stream-0123456789abcdef", "node-1"), 2))},
		sample{"NodeWaits", NodeWaits("0/4", "node-1", WaitsToBecomeReady())},
		sample{"PodToEnd", PodToEnd("stream-0123456789abcdef", "node-1")},
		sample{"JobToEnd", JobToEnd("mpibench-0123456789abcdef")},
		sample{"WaitsForEnd", WaitsForEnd("", 0)},
		sample{"WaitsForEnd", WaitsForEnd(JobToEnd("mpibench-0123456789abcdef"), 0)},
		sample{"PodLeft", PodLeft("assay-benchmarks/stream-0123456789abcdef", "node-1")},
		sample{"PodCutOff", PodCutOff("assay-benchmarks/stream-0123456789abcdef", "node-1")},
		sample{"JobLeft", JobLeft("mpibench-0123456789abcdef")},
		sample{"WriteRetried", WriteRetried(Measuring(2, "2/4"), "storing the result of node node-1: the server is too busy")},
		sample{"WriteGivenUp", WriteGivenUp("4 nodes: 4 passed", "storing the result of node node-1: the server is too busy")},
		sample{"CannotStart", CannotStart(errors.New("adding the finalizer of run nightly: forbidden"))},
		sample{"CannotRead", CannotRead(errors.New("listing the MPIJobs of run nightly: mpijobs.kubeflow.org is forbidden"))},
		sample{"CannotCleanUp", CannotCleanUp(errors.New("listing the MPIJobs of run nightly: mpijobs.kubeflow.org is forbidden"))},
		sample{"LetGo", LetGo(errors.New("listing the MPIJobs of run nightly: mpijobs.kubeflow.org is forbidden"))},
		sample{"RunStarted", RunStarted(4, 1)},
		sample{"LaunchFailed", LaunchFailed("creating the pod of benchmark stream on node node-1: exceeded quota")},
		sample{"PodRemoved", PodRemoved("stream-0123456789abcdef")},
	)
}
