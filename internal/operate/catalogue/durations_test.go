package catalogue

import (
	"github.com/assay-dev/assay/test/testdata"
	"strconv"
	"testing"
)

// measurementsOf says how often an entry measures for as long as its parameter `seconds` says, where that is not once. Of programs that measure
// on 1, 2, 4 ... GPUs, it is as often as on 16 GPUs.
var measurementsOf = map[string]float64{
	"fio":                 4,     // reading and writing, in sequence and at random
	"gemm":                6,     // precisions
	"gpuquick":            3,     // precisions
	"lammps":              4,     // cases
	"lammps-cluster":      4,     // cases
	"lammps-gpu":          4,     // cases
	"md":                  5 + 1, // numbers of GPUs, and each GPU alone
	"montecarlo":          5 * 2, // numbers of GPUs, in two precisions
	"nbody":               5,     // numbers of GPUs
	"openmm":              1.25,  // the large box, and a quarter of the time for the small one
	"pic":                 5 + 1,
	"reduction":           5 + 1,
	"scan":                5 + 1,
	"spectral":            5 + 1,
	"spectral-cluster":    2, // with messages and without
	"stencil-cluster":     2,
	"stencil-gpu":         5 + 1,
	"stencil-gpu-cluster": 2,
}

// A run may set how long a program measures, but not how long it may take: what the parameter allows must end in time, set-up included. The
// estimate of costSeconds stands for the set-up. `budgetSeconds` is a bound that few measurements reach: they end with the last of their samples.
func TestTheLongestMeasurementEndsInTime(t *testing.T) {
	for _, b := range testdata.Benchmarks() {
		if b.Spec.TimeoutSeconds == 0 || b.Spec.CostSeconds == 0 {
			t.Errorf("Benchmark %s has no timeoutSeconds or no costSeconds", b.Name)
			continue
		}
		cost, timeout := float64(b.Spec.CostSeconds), float64(b.Spec.TimeoutSeconds)
		for _, p := range b.Spec.Parameters {
			maximum, err := strconv.ParseFloat(string(p.Maximum), 64)
			measuring, count := 0.0, max(measurementsOf[b.Name], 1)
			switch p.Name {
			case "seconds":
				measuring = maximum * count
			case "budgetSeconds":
				measuring = maximum
			case "repetitions": // of all that the cost is estimated for
				measuring = (maximum - 1) * cost
			default:
				continue
			}
			if err != nil || cost+measuring > timeout {
				t.Errorf("Benchmark %s: %s %s takes about %.0f s, set-up included, but timeoutSeconds is %.0f: lower the maximum (%v)",
					b.Name, p.Name, p.Maximum, cost+measuring, timeout, err)
			}
		}
	}
}
