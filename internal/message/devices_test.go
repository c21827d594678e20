package message

import "time"

func init() {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	missing := DevicesMissing("nvidia.com/gpu", 7, 8, ExpectedByPast("hbm", noon), []string{"GPU-4bce1f0a-7d1e-4c39-9b0e-6f3f9f1f2a10"})
	samples = append(samples,
		sample{"ExpectedByCapacity", ExpectedByCapacity()},
		sample{"ExpectedByLabel", ExpectedByLabel("nvidia.com/gpu.count")},
		sample{"ExpectedByProfile", ExpectedByProfile("h200")},
		sample{"ExpectedByPast", ExpectedByPast("hbm", noon)},
		sample{"ExpectedByMost", ExpectedByMost(11, 12, "p5en.48xlarge", "NVIDIA-H200")},
		sample{"DevicesMissing", DevicesMissing("nvidia.com/gpu", 7, 8, ExpectedByCapacity(), nil)},
		sample{"DevicesMissing", missing},
		sample{"DevicesBack", DevicesBack("nvidia.com/gpu", 8)},
		sample{"DevicesExpectedNoMore", DevicesExpectedNoMore()},
		sample{"NotConvicted", NotConvicted(WaitsForDevices("nvidia.com/gpu", 7, 8, ExpectedByCapacity(), noon))},
		sample{"DevicesLowered", DevicesLowered(missing)},
		sample{"WaitsForDevices", WaitsForDevices("nvidia.com/gpu", 0, 8, ExpectedByLabel("nvidia.com/gpu.count"), noon)},
		sample{"WaitsForFirstDevices", WaitsForFirstDevices("nvidia.com/gpu", HasLabel("nvidia.com/gpu.present", "true"), noon)},
		sample{"WaitsForFirstDevices", WaitsForFirstDevices("amd.com/gpu", ReadySince(noon), noon.Add(2*time.Minute))},
		sample{"HasLabel", HasLabel("nvidia.com/gpu.present", "true")},
		sample{"ReadySince", ReadySince(noon)},
		sample{"SharedByLabel", SharedByLabel("nvidia.com/gpu.sharing-strategy", "time-slicing")},
		sample{"SharedByResource", SharedByResource("nvidia.com/mig-1g.18gb", 7)},
	)
}
