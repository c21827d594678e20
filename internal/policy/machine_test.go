package policy

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/taint"
)

// TestMachinesAreThoseOfPasses: what a pass recorded is compared with what a node is now, so both must be told alike. Nodes come in any order.
func TestMachinesAreThoseOfPasses(t *testing.T) {
	w := newWorld(t)
	for _, line := range []string{"node a", "node b driver=570.20", "node c offers=0", "node d devices=1 kernel=6.9", "node e",
		"set e label=nvidia.com/cuda.driver.major:570", "set e label=nvidia.com/cuda.driver.minor:20", "node f label=nvidia.com/gpu.product:A100", "node g"} {
		w.incident(line)()
	}
	delete(w.node("e").Labels, labelDriver)
	g := w.node("g").Labels
	delete(g, taint.LabelProduct)
	delete(g, labelDriver)
	gpu, cpu := &v1alpha1.Benchmark{}, &v1alpha1.Benchmark{}
	gpu.Spec.Needs.DeviceResource = "nvidia.com/gpu"
	m := &machines{known: map[kind]v1alpha1.Machine{}}
	for range 2 {
		for _, n := range w.nodes {
			for _, b := range []*v1alpha1.Benchmark{gpu, cpu} {
				if diff := cmp.Diff(taint.MachineOf(n.Node, b.Spec.Needs.DeviceResource), *m.of(n.Node, b)); diff != "" {
					t.Errorf("node %s (-recorded +compared):\n%s", n.Name, diff)
				}
			}
		}
	}
}
