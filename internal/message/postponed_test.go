package message

func init() {
	samples = append(samples, sample{"VerdictPostponed", VerdictPostponed()})
}
