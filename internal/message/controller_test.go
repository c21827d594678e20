package message

import "errors"

func init() {
	const revision = "assay-benchmarks/validationrun-5f0c"
	samples = append(samples,
		sample{"SuiteUnknown", SuiteUnknown("quik")},
		sample{"SuiteTooLarge", SuiteTooLarge("full", 40, 32)},
		sample{"BenchmarkUnknown", BenchmarkUnknown("strem")},
		sample{"TooMuchAtOnce", TooMuchAtOnce(errors.New(CatalogueTooLarge(32, 40, 1_200_000, 1_048_576)))},
		sample{"ParameterRefused", ParameterRefused("hpl", errors.New(NotAnInteger("n", "many")))},
		sample{"DefaultRefused", DefaultRefused("hpl", errors.New(BelowMinimum("n", "0", "1000")))},
		sample{"RevisionGone", RevisionGone(revision)},
		sample{"RevisionUnreadable", RevisionUnreadable(revision, errors.New("unexpected end of JSON input"))},
		sample{"RevisionOfAnother", RevisionOfAnother(revision)},
		sample{"NameTaken", NameTaken("MPIJob", "g-p2p-0123456789abcdef", "assay-benchmarks")},
		sample{"PodsNotDeleted", PodsNotDeleted(errors.New(SuiteUnknown("quik")), errors.New("deleting pod nightly-node-1-1: connection refused"))},
		sample{"DevicesHeld", DevicesHeld("default/train", "8", "nvidia.com/gpu")},
		sample{"EventsLeftOut", EventsLeftOut(112, "NodeFailed", 30, "assay.dev/run=nightly")},
		sample{"TheGroup", TheGroup("node-1, node-2")},
		sample{"AllTogether", AllTogether("node-1, node-2: 40 GB/s", "node busBandwidth 42 GB/s: expected at least 90 GB/s")},
		sample{"WithOthers", WithOthers("node-2, node-3", "node busBandwidth 95 GB/s")},
		sample{"RunPassed", RunPassed("nightly")},
	)
}
