package message

func init() {
	samples = append(samples,
		sample{"WrongData", WrongData("productVerified", "3 of 67108864 elements differ")},
		sample{"WrongData", WrongData("residual", "")},
		sample{"WithLastLines", WithLastLines(ProgramExitedSilently(3), "allocating 40 GiB | out of memory")},
		sample{"AttemptTooLarge", AttemptTooLarge(300_000, 262_144)},
		sample{"NoRoomForAttempt", NoRoomForAttempt(60_000, 5_000, 1_048_576)},
		sample{"StorageRefused", StorageRefused(`admission webhook "size.example.com" denied the request`)},
		sample{"NumbersWithTheGroups", NumbersWithTheGroups()},
		sample{"ResultTooLarge", ResultTooLarge("encoding the result: too large: 5120 bytes compressed, a termination message holds 4096")},
		sample{"TelemetryLeftOut", TelemetryLeftOut()},
		sample{"NotesLeftOut", NotesLeftOut(9)},
		sample{"ParameterWithoutValue", ParameterWithoutValue("peakAtClockGBps")},
		sample{"WithoutMatch", WithoutMatch("eventRate")},
	)
}
