package message

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

func init() {
	links := quantity.NewScale("GB/s", 387.2, 389.2)
	this, others := GPUState{ClockMHz: 1622, PowerW: 698, TemperatureC: 83}, GPUState{ClockMHz: 1750, PowerW: 671, TemperatureC: 57}
	samples = append(samples,
		sample{"GPUBeside", GPUBeside("", this, others, 3)},
		sample{"GPUBeside", GPUBeside("gpu2", GPUState{ClockMHz: 345, PowerW: 120}, others, 7)},
		sample{"GPUBeside", GPUBeside("", this, others, 1)},
		sample{"GPUBeside", GPUBeside("", GPUState{ClockMHz: 1980}, GPUState{}, 0)},
		sample{"GPUThrottled", GPUThrottled("swPowerCap", 0.79)},
		sample{"GPUThrottled", GPUThrottled("swThermal", 1)},
		sample{"GPUThrottled", GPUThrottled("hwSlowdown", 0.125)},
		sample{"OfPeakAtClock", OfPeakAtClock(97.25)},
		sample{"SlowGPU", SlowGPU(SlowPairs{GPU: "gpu0", UUIDs: []string{"GPU-4bce"}, At: EitherEnd, Mine: 3, Slow: 3, Others: 3, Metric: "writeBandwidth",
			Value: 387.2, Deviation: -1.02, Median: 391.2, Bound: 389.2, Better: v1alpha1.Higher}, links)},
		sample{"SlowGPU", SlowGPU(SlowPairs{GPU: "gpu5", At: Source, Mine: 7, Slow: 13, Others: 42, Metric: "copyLatency",
			Value: 2.5, Deviation: 8.7, Median: 2.3, Bound: 2.35, Better: v1alpha1.Lower}, quantity.NewScale("us", 2.5, 2.35))},
	)
}
