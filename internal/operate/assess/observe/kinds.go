package observe

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// kinds of nodes in the cluster, with how many devices most of each kind have; worked out when somebody asks.
type kinds struct {
	cluster    []*corev1.Node
	byResource map[string]map[kindOfNode]ofKind
}

// kindOfNode: nodes of one kind are made alike. Kubernetes distributions that know no types give one to all nodes, so that CPUs and product count
// as well.
type kindOfNode struct {
	instanceType, product string
	cores                 int64
}

// ofKind is how many devices most nodes of a kind have; most is 0 where too few do.
type ofKind struct {
	most         int64
	alike, nodes int
}

// fewestOfKind is how many nodes of a kind it takes to tell what most have.
const fewestOfKind = 3

// of the kind of a node.
func (k *kinds) of(n *corev1.Node, resource string) ofKind {
	if k.byResource == nil {
		k.byResource = map[string]map[kindOfNode]ofKind{}
	}
	known, ok := k.byResource[resource]
	if !ok {
		known = countKinds(k.cluster, resource)
		k.byResource[resource] = known
	}
	kind, ok := kindOfDevices(n)
	if !ok {
		return ofKind{}
	}
	return known[kind]
}

// anyType are instance types that say nothing: none, and what distributions label all of their nodes with.
var anyType = map[string]bool{"": true, "k3s": true, "rke2": true}

func kindOfDevices(n *corev1.Node) (kind kindOfNode, ok bool) {
	millis := n.Status.Allocatable.Cpu().MilliValue()
	kind = kindOfNode{n.Labels[corev1.LabelInstanceTypeStable], n.Labels[v1alpha1.LabelGPUProduct], (millis + 500) / 1000}
	return kind, !anyType[kind.instanceType] && kind.product != ""
}

func countKinds(cluster []*corev1.Node, resource string) map[kindOfNode]ofKind {
	counts := map[kindOfNode]map[int64]int{}
	for _, n := range cluster {
		kind, ok := kindOfDevices(n)
		if !ok || !n.DeletionTimestamp.IsZero() || workload.Shared(resource, n) != "" {
			continue
		}
		if counts[kind] == nil {
			counts[kind] = map[int64]int{}
		}
		capacity, offered := n.Status.Capacity[corev1.ResourceName(resource)], n.Status.Allocatable[corev1.ResourceName(resource)]
		counts[kind][max(capacity.Value(), offered.Value())]++
	}
	out := make(map[kindOfNode]ofKind, len(counts))
	for kind, byCount := range counts {
		k := ofKind{}
		for _, nodes := range byCount {
			k.nodes += nodes
		}
		for devices, nodes := range byCount {
			if k.nodes >= fewestOfKind && 2*nodes > k.nodes {
				k.most, k.alike = devices, nodes
			}
		}
		out[kind] = k
	}
	return out
}
