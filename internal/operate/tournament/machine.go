package tournament

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/fact"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
)

// machineIn is the machine that a node was in an attempt of its group, if it is still that. The result of a group has room for seals only.
func (f *field) machineIn(n *Node, g *Group, a v1alpha1.Attempt) *v1alpha1.Machine {
	if a.Machines == "" || n.Object == nil {
		return nil
	}
	size := len(a.Machines) / len(g.Nodes)
	i := slices.IndexFunc(g.Nodes, func(ref v1alpha1.ObjectReference) bool { return ref.Name == n.Name })
	if i < 0 || g.Nodes[i].UID != n.Object.UID {
		return nil
	}
	m := nodevalidation.MachineOf(n.Object, f.Benchmark.Spec.Needs.DeviceResource, workload.FabricName(g.Fabric))
	if nodevalidation.Seal(m) != a.Machines[i*size:(i+1)*size] {
		return nil
	}
	return &m
}

// machineOfAll is the machine that a node was whenever one of its pairs was measured, if it was the same each time, and still is.
func (f *field) machineOfAll(n *Node, pairs []*Group) (m *v1alpha1.Machine) {
	for _, g := range pairs {
		for _, a := range g.Attempts {
			if !attempt.Measured(a) {
				continue
			}
			if m = f.machineIn(n, g, a); m == nil {
				return nil
			}
		}
	}
	return m
}

// WithDifferences says of a node that is too slow which of its facts most nodes of its kind have otherwise: one of them may be why.
func WithDifferences(node string, d verdict.Decision, fleets []*verdict.Judge) verdict.Decision {
	if !d.BySpeed() {
		return d
	}
	var differences []fact.Difference
	for _, f := range fleets {
		if f == nil {
			continue // of groups
		}
		differences = append(differences, f.Differences(node)...)
	}
	if len(differences) > 0 {
		d.Message = alsoDiffers(d.Message, differences)
	}
	return d
}
