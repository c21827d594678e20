package observe

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// FabricOf a group, as its nodes are in this pass.
func (s *Observed) FabricOf(g *ObservedGroup) *v1alpha1.Fabric {
	var said []*v1alpha1.Fabric
	var nodes []*corev1.Node
	for _, name := range g.Names() {
		if n := s.node(name); n.Node != nil {
			said, nodes = append(said, n.Peaks.Fabric()), append(nodes, n.Node)
		}
	}
	return workload.FabricOf(said, nodes)
}

// fabricAlone is what one node's pods would be given.
func fabricAlone(n *ObservedNode) *v1alpha1.Fabric {
	return workload.FabricOf([]*v1alpha1.Fabric{n.Peaks.Fabric()}, []*corev1.Node{n.Node})
}

func offersRDMA(n *ObservedNode) bool {
	f := fabricAlone(n)
	return f != nil && f.Resource != ""
}

// FabricAt a node, by a benchmark of groups; empty: it is alone, or the pod network is all.
func (s *Observed) FabricAt(n *ObservedNode, i int) string {
	if !s.Tasks[i].IsGroup() || n.Node == nil {
		return ""
	}
	return workload.FabricName(fabricAlone(n))
}

// PortsOf a node, as this run's inventory shows them.
func (n *ObservedNode) PortsOf() peak.Ports {
	if n.Packed == nil {
		return peak.Ports{}
	}
	for _, b := range n.Packed.Whole().Benchmarks {
		for _, a := range b.Attempts {
			if p := peak.PortsIn(a.Facts); p.Active > 0 {
				return p
			}
		}
	}
	return peak.Ports{}
}
