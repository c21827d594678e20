package message

func init() {
	samples = append(samples,
		sample{"ResidualFailed", ResidualFailed("1.23e+05", 20000)},
		sample{"ResidualPassed", ResidualPassed(0.0031875)},
		sample{"TestsSkipped", TestsSkipped(2)},
		sample{"WrongMessage", WrongMessage("Bandwidth", 4096)},
		sample{"BrokenConstraints", BrokenConstraints(12)},
		sample{"WrongProcesses", WrongProcesses("StarSTREAM", "3")},
		sample{"UnreadableOutput", UnreadableOutput(70_000, 4096)},
	)
}
