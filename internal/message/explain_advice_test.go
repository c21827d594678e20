package message

func init() {
	samples = append(samples,
		sample{"ExplainLinkAdvice", ExplainLinkAdvice()},
		sample{"ExplainMeasureAgain", ExplainMeasureAgain("gpustream", "ImagePullFailed")},
		sample{"ExplainRunAgain", ExplainRunAgain("node-4", "", []string{"gpustream", "p2p"})},
		sample{"ExplainRunAgain", ExplainRunAgain("node-4", "", []string{"gpustream"})},
		sample{"ExplainRunAgain", ExplainRunAgain("node-4", "quick", nil)},
		sample{"ExplainRunAgain", ExplainRunAgain("node-4", "", nil)},
		sample{"ExplainRunAgainCompared", ExplainRunAgainCompared("node-4", []string{"node-1", "node-2", "node-3"}, 3, "", []string{"stream"})},
		sample{"ExplainRunAgainCompared", ExplainRunAgainCompared("node-4", []string{"node-1"}, 3, "", []string{"mpibench"})},
		sample{"ExplainTaintGoes", ExplainTaintGoes()},
		sample{"ExplainWait", ExplainWait("rack-7")},
	)
	for _, rule := range []string{"FractionOfPeak", "Regression", "DataCheck", "FactEqual", "DevicesMissing", "Blame", "Missing"} {
		samples = append(samples, sample{"ExplainAdvice", ExplainAdvice(rule)})
	}
}
