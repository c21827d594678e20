package catalogue

import (
	"github.com/assay-dev/assay/test/testdata"
	"math"
	"strconv"
	"testing"
)

// writtenBy is what an entry writes to /tmp, in bytes, for a value of one of its parameters.
var writtenBy = map[string]struct {
	parameter string
	bytes     func(float64) float64
}{
	// Of each atom, a line of 69 bytes in box.gro, six floats in topol.tpr and six in a checkpoint.
	"gromacs":         {"edge", func(edge float64) float64 { return (69 + 2*24) * 648 * math.Pow(edge, 3) }},
	"gromacs-cluster": {"edge", func(edge float64) float64 { return (69 + 2*24) * 648 * math.Pow(edge, 3) }},
	"gromacs-gpu":     {"edge", func(edge float64) float64 { return (69 + 2*24) * 648 * math.Pow(edge, 3) }},
	// 236 bytes of each cell: the mesh and its parts.
	"openfoam":         {"cells", func(cells float64) float64 { return 236 * math.Pow(cells, 3) }},
	"openfoam-cluster": {"cells", func(cells float64) float64 { return 236 * math.Pow(cells, 3) }},
	// The file that is measured, and the one that is verified.
	"fio": {"bytes", func(bytes float64) float64 { return bytes + 256<<20 }},
}

// The kubelet evicts a pod that goes past the limit of /tmp, which is 10 GiB (internal/measure/workload).
func TestTheLargestProblemFitsTheDisk(t *testing.T) {
	seen := 0
	for _, b := range testdata.Benchmarks() {
		written := writtenBy[b.Name]
		for _, p := range b.Spec.Parameters {
			if p.Name != written.parameter {
				continue
			}
			seen++
			maximum, err := strconv.ParseFloat(string(p.Maximum), 64)
			if bytes := written.bytes(maximum); err != nil || bytes > 9<<30 {
				t.Errorf("Benchmark %s writes %.1f GB for %s %s, and may write 10 GiB: lower the maximum (%v)", b.Name, bytes/1e9, p.Name, p.Maximum, err)
			}
		}
	}
	if seen != len(writtenBy) {
		t.Errorf("%d of %d entries have the parameter", seen, len(writtenBy))
	}
}
