package message

func init() {
	samples = append(samples,
		sample{"UnknownParameter", UnknownParameter("stream", "size", []string{"arrayBytes", "seconds"})},
		sample{"UnknownParameter", UnknownParameter("stream", "size", nil)},
		sample{"UndeclaredParameter", UndeclaredParameter("stream", "$(HOME)")},
		sample{"NotAnInteger", NotAnInteger("arrayBytes", "1.5")},
		sample{"ParameterNotANumber", ParameterNotANumber("seconds", "ten")},
		sample{"NotABoolean", NotABoolean("verify", "yes")},
		sample{"NotAChoice", NotAChoice("precision", "fp8", []string{"fp64", "fp32"})},
		sample{"BelowMinimum", BelowMinimum("seconds", "0", "0.1")},
		sample{"AboveMaximum", AboveMaximum("seconds", "1000", "600")},
		sample{"UnknownParameterType", UnknownParameterType("mode", "String")},
	)
}
