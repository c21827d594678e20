package message

func init() {
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
	)
}
