package runs

import (
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/test/testdata"
)

// Recorded is a run over five machines with four H200s each, from what the programs printed there (test/testdata/h200).
func Recorded() export.Run {
	machines := []string{"node1", "node2", "node3", "node4", "node5"}
	recordings := make([]testdata.Recording, len(machines))
	for i, m := range machines {
		recordings[i] = testdata.Recorded("h200/" + m)
	}
	f := cluster{name: "h200-recorded", nodes: []string{"h200-1", "h200-2", "h200-3", "h200-4", "h200-5"}, took: 4 * time.Minute}
	for _, name := range []string{"p2p", "hostlink", "gpustream", "gemm", "collectives", "nbody", "montecarlo", "reduction", "scan", "md", "burn"} {
		f.benchmarks = append(f.benchmarks, *testdata.Benchmark(name))
	}
	f.attempt = func(node int, b *v1alpha1.Benchmark, n int) (v1alpha1.Attempt, bool) {
		return attempt(recordings[node], b, n)
	}
	return f.run()
}

// Demo are two runs of `make demo`, as the operator stored them: one over four nodes of which node-4 was slowed down, and one that
// measured them in pairs while the network of node-2 was slow.
func Demo() []export.Run {
	var all []export.Run
	testdata.Unzip("demo", &all)
	return all
}
