package runs

import (
	"slices"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/formats"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/test/testdata"
)

// Recorded is a run over five machines with four H200s each, from what the programs printed there (test/testdata/h200).
func Recorded() export.Run {
	return recordedBy("p2p", "hostlink", "gpustream", "gemm", "collectives", "nbody", "montecarlo", "reduction", "scan", "md", "burn").run()
}

func recordedBy(benchmarks ...string) *cluster {
	machines := []string{"node1", "node2", "node3", "node4", "node5"}
	recordings := make([]testdata.Recording, len(machines))
	for i, m := range machines {
		recordings[i] = testdata.Recorded("h200/" + m)
	}
	f := cluster{name: "h200-recorded", nodes: []string{"h200-1", "h200-2", "h200-3", "h200-4", "h200-5"}, took: 4 * time.Minute}
	for _, name := range benchmarks {
		f.benchmarks = append(f.benchmarks, *testdata.Benchmark(name))
	}
	f.attempt = func(node int, b *v1alpha1.Benchmark, n int) (v1alpha1.Attempt, bool) {
		return attempt(recordings[node], b, n)
	}
	return &f
}

// Changed is a function that makes such a run by the quick suite, in which each attempt may be changed before it is judged. The inventory is
// that of one machine, with four GPUs.
func Changed() func(change func(node int, benchmark string, a *v1alpha1.Attempt)) export.Run {
	f := recordedBy("inventory", "p2p", "hostlink", "gpustream", "gemm", "collectives")
	measured, inventory := f.attempt, inventoryOfFour(&f.benchmarks[0])
	type key struct {
		node, n   int
		benchmark string
	}
	known := map[key]v1alpha1.Attempt{}
	return func(change func(node int, benchmark string, a *v1alpha1.Attempt)) export.Run {
		f.attempt = func(node int, b *v1alpha1.Benchmark, n int) (v1alpha1.Attempt, bool) {
			at := key{node, n, b.Name}
			if _, ok := known[at]; !ok {
				known[at], ok = measured(node, b, n)
				if b.Name == "inventory" {
					known[at], ok = inventory, true
				}
				if !ok {
					return v1alpha1.Attempt{}, false
				}
			}
			stored := known[at]
			a := *stored.DeepCopy()
			a.Number = int32(n + 1)
			change(node, b.Name, &a)
			return a, true
		}
		return f.run()
	}
}

// inventoryOfFour GPUs is that of two, of which the second is there three times.
func inventoryOfFour(b *v1alpha1.Benchmark) v1alpha1.Attempt {
	document, err := formats.Parse(v1alpha1.FormatAssay, nil, b.Spec.Metrics, []byte(testdata.Output("assay-inventory.json")))
	if err != nil {
		panic(err)
	}
	a := result.Envelope{Outcome: result.OutcomeMeasured, Reason: v1alpha1.ReasonMeasured, Document: &document}.Attempt(1)
	for _, f := range slices.Clone(a.Facts) {
		if f.At == "gpu1" {
			for _, at := range []string{"gpu2", "gpu3"} {
				f.At = at
				a.Facts = append(a.Facts, f)
			}
		}
	}
	for i := range int32(2) {
		a.Devices = append(a.Devices, v1alpha1.Device{Index: 2 + i, UUID: "GPU-" + string('a'+i), Product: a.Devices[0].Product})
	}
	return a
}

// Demo are two runs of `make demo`, as the operator stored them: one over four nodes of which node-4 was slowed down, and one that
// measured them in pairs while the network of node-2 was slow.
func Demo() []export.Run {
	var all []export.Run
	testdata.Unzip("demo", &all)
	return all
}
