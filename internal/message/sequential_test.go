package message

func init() {
	samples = append(samples,
		sample{"FailedAlikeUntainted", FailedAlikeUntainted(32, 32, "hbm/hbmTriad/Min")},
	)
}
