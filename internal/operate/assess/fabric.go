package assess

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// fabricOf a group, as its nodes are in this pass.
func (s *Observed) fabricOf(g *observedGroup) *v1alpha1.Fabric {
	var said []*v1alpha1.Fabric
	var nodes []*corev1.Node
	for _, name := range g.names() {
		if n := s.node(name); n.node != nil {
			said, nodes = append(said, n.peaks.Fabric()), append(nodes, n.node)
		}
	}
	return workload.FabricOf(said, nodes)
}

// fabricAlone is what one node's pods would be given.
func fabricAlone(n *observedNode) *v1alpha1.Fabric {
	return workload.FabricOf([]*v1alpha1.Fabric{n.peaks.Fabric()}, []*corev1.Node{n.node})
}

// fabricAt a node, by a benchmark of groups; empty: it is alone, or the pod network is all.
func (s *Observed) fabricAt(n *observedNode, i int) string {
	if !s.tasks[i].IsGroup() || n.node == nil {
		return ""
	}
	return workload.FabricName(fabricAlone(n))
}

// portsOf a node, as this run's inventory shows them.
func (n *observedNode) portsOf() peak.Ports {
	if n.packed == nil {
		return peak.Ports{}
	}
	whole := n.packed.Whole()
	for i := range whole.Benchmarks {
		for _, a := range whole.Benchmarks[i].Attempts {
			if p := peak.PortsIn(a.Facts); p.Active > 0 {
				return p
			}
		}
	}
	return peak.Ports{}
}
