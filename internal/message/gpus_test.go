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
		sample{"SlowGPU", SlowGPU("gpu0", []string{"GPU-4bce"}, EitherEnd, 3, 3, "writeBandwidth", 387.2, -1.02, 391.2, 3, v1alpha1.Higher, 389.2, links)},
		sample{"SlowGPU", SlowGPU("gpu5", nil, Source, 7, 13, "copyLatency", 2.5, 8.7, 2.3, 42, v1alpha1.Lower, 2.35, quantity.NewScale("us", 2.5, 2.35))},
	)
}
