package message

import "errors"

func init() {
	const failure = "node rate 42 GB/s: expected at least 100 GB/s"
	samples = append(samples,
		sample{"WaitsForRun", WaitsForRun("nightly")},
		sample{"WaitsForLeftover", WaitsForLeftover("g-p2p-0123456789abcdef-worker-1")},
		sample{"ImageNotProvided", ImageNotProvided("namd", "NAMD 3, its input, and a program run-namd that prints NAMD's log")},
		sample{"NodeLacksLabels", NodeLacksLabels("p2p", "nvidia.com/gpu.present=true")},
		sample{"NodeLacksDevices", NodeLacksDevices("p2p", "nvidia.com/gpu", 2, 1)},
		sample{"NodeLacksRDMA", NodeLacksRDMA("rdma-bandwidth")},
		sample{"SocketsInsteadOfResource", SocketsInsteadOfResource("NET/Socket", "rdma/hca")},
		sample{"SocketsInsteadOfPorts", SocketsInsteadOfPorts("NET/Socket", "gpu-1", 8, 3200)},
		sample{"SelectorUnreadable", SelectorUnreadable("spec.selector", errors.New(`"Inn" is not a valid label selector operator`))},
		sample{"NeedsUnreadable", NeedsUnreadable("p2p", errors.New(`"Inn" is not a valid label selector operator`))},
		sample{"TerminationUnreadable", TerminationUnreadable(errors.New("unexpected end of JSON input"))},
		sample{"ImageChanged", ImageChanged(4, failure)},
		sample{"StoppedUnconfirmed", StoppedUnconfirmed(RunOverdue(), failure)},
	)
}
