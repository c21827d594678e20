package message

func init() {
	samples = append(samples,
		sample{"ExplainRunAgain", ExplainRunAgain("node-4", "", []string{"gpustream", "p2p"}, []string{"p2p.bytes=1024", "p2p.note=$(a b)'s"})},
		sample{"ExplainOwnExpectations", ExplainOwnExpectations("rack-7", []string{"gpustream", "p2p"})},
		sample{"ExplainRunAgain", ExplainRunAgain("node-4", "", []string{"gpustream"}, nil)},
		sample{"ExplainRunAgain", ExplainRunAgain("node-4", "quick", nil, nil)},
		sample{"ExplainRunAgain", ExplainRunAgain("node-4", "", nil, nil)},
		sample{"ExplainRunAgainCompared", ExplainRunAgainCompared("node-4", []string{"node-1", "node-2", "node-3"}, 3, "", []string{"stream"}, nil)},
		sample{"ExplainRunAgainCompared", ExplainRunAgainCompared("node-4", []string{"node-1"}, 3, "", []string{"mpibench"}, nil)},
	)
}
