package message

import "time"

func init() {
	samples = append(samples,
		sample{"PodRuns", PodRuns("stream-0123456789abcdef")},
		sample{"GroupRuns", GroupRuns("osu-latency", "node-2, node-3", "osu-latency-0123456789abcdef")},
		sample{"AttemptStarts", AttemptStarts("stream", 1)},
		sample{"AttemptCollected", AttemptCollected(1, "pod stream-0123456789abcdef")},
		sample{"AttemptRepeated", AttemptRepeated(1, "MPIJob osu-latency-0123456789abcdef")},
		sample{"AttemptStopped", AttemptStopped(1, "pod stream-0123456789abcdef")},
		sample{"NotMeasuredInTime", NotMeasuredInTime("", 40)},
		sample{"NotMeasuredInTime", NotMeasuredInTime(ProgramRan(38*time.Second, 300*time.Second), 40)},
		sample{"NotMeasuredInTime", NotMeasuredInTime(WaitsForItsTurn(4), 40)},
		sample{"PodNotStarted", PodNotStarted("stream-0123456789abcdef")},
		sample{"ProgramRan", ProgramRan(38*time.Second, 300*time.Second)},
		sample{"WaitsForBenchmark", WaitsForBenchmark("stream")},
		sample{"NotMeasuredWithOthers", NotMeasuredWithOthers()},
		sample{"PairsReading", PairsReading("latency", "us", 94.07, 12, 3965, 3)},
		sample{"PairsReading", PairsReading("busbw", "GB/s", 180, 180, 180, 1)},
		sample{"WithReading", WithReading("the node itself is fine", PairsReading("latency", "us", 94.07, 12, 3965, 3))},
		sample{"PodRemoved", PodRemoved("stream-0123456789abcdef")},
	)
}
