package message

func init() {
	samples = append(samples,
		sample{"NodeKeptByKubernetes", NodeKeptByKubernetes("node.kubernetes.io/network-unavailable:NoSchedule")},
	)
}
