package message

func init() {
	samples = append(samples,
		sample{"TestsWaived", TestsWaived(3)},
		sample{"WrongCopy", WrongCopy("device_to_device_memcpy_read_ce")},
		sample{"WrongElements", WrongElements("all_reduce", "in place", "1048576", "96")},
		sample{"WrongSomewhere", WrongSomewhere("all_gather", "4")},
		sample{"FaultyGPU", FaultyGPU("gpu1", 30472096)},
		sample{"FaultyGPU", FaultyGPU("gpu1", 0)},
	)
}
