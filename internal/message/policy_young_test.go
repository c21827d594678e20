package message

import "time"

func init() {
	samples = append(samples,
		sample{"NodeKept", NodeKept("node.kubernetes.io/network-unavailable:NoSchedule")},
		sample{"EarlyRetryComes", EarlyRetryComes(2, time.Date(2026, 11, 22, 2, 0, 0, 0, time.UTC))},
	)
}
