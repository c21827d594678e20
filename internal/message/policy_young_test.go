package message

func init() {
	samples = append(samples,
		sample{"NodeKept", NodeKept("node.kubernetes.io/network-unavailable:NoSchedule")},
	)
}
