package message

func init() {
	samples = append(samples,
		sample{"AttemptOvertaken", AttemptOvertaken(1, "pod hbm-0123456789abcdef", "gpu-1", "team:NoSchedule")},
		sample{"AttemptEvicted", AttemptEvicted(1, "pod hbm-0123456789abcdef", "gpu-1", "site/unfit:NoExecute")},
		sample{"AttemptEvicted", AttemptEvicted(2, "MPIJob g-net-0123456789abcdef", "gpu-1", "")},
		sample{"OvertakenAgain", OvertakenAgain("pod hbm-0123456789abcdef", "gpu-1", "team:NoSchedule", 3)},
		sample{"EvictedAgain", EvictedAgain("pod hbm-0123456789abcdef", "gpu-1", "site/unfit:NoExecute", 3)},
	)
}
