package message

func init() {
	samples = append(samples,
		sample{"PodRuns", PodRuns("stream-0123456789abcdef")},
		sample{"GroupRuns", GroupRuns("osu-latency", "node-2, node-3", "osu-latency-0123456789abcdef")},
		sample{"AttemptStarts", AttemptStarts("stream", 1)},
		sample{"AttemptCollected", AttemptCollected(1, "pod stream-0123456789abcdef")},
		sample{"AttemptRepeated", AttemptRepeated(1, "MPIJob osu-latency-0123456789abcdef")},
		sample{"PodRemoved", PodRemoved("stream-0123456789abcdef")},
	)
}
