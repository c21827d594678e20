package workload

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// onNodes is an affinity to any of some nodes: the API takes one name for each term, and any term will do. The label kubernetes.io/hostname would take all in one
// term, but it need not be the node's name, nor that of one node only.
func onNodes(nodes []*corev1.Node) *corev1.NodeAffinity {
	selector := &corev1.NodeSelector{}
	for _, n := range References(nodes) {
		selector.NodeSelectorTerms = append(selector.NodeSelectorTerms, corev1.NodeSelectorTerm{
			MatchFields: []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{n.Name}}},
		})
	}
	return &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: selector}
}

// leastNode offers the fewest devices: all workers of an MPIJob are alike and must fit on every node of the group.
func (l GroupLaunch) leastNode() *corev1.Node {
	return slices.MinFunc(l.Nodes, func(x, y *corev1.Node) int {
		a, b := Devices(l.Benchmark, x), Devices(l.Benchmark, y)
		return a.Cmp(b)
	})
}

// unlike says whether the nodes differ in how many devices they offer.
func (l GroupLaunch) unlike() bool {
	least := Devices(l.Benchmark, l.leastNode())
	return slices.ContainsFunc(l.Nodes, func(n *corev1.Node) bool {
		d := Devices(l.Benchmark, n)
		return d.Cmp(least) != 0
	})
}
