package taint

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// TestNodesWithoutDevicesStillCount: a driver that is gone takes the devices of a whole pool. What they are unfit by must not free the budget.
func TestNodesWithoutDevicesStillCount(t *testing.T) {
	gpu := []string{"nvidia.com/gpu"}
	for sentence, lose := range map[string]func(*corev1.Node){
		"none are offered any more":      func(n *corev1.Node) { n.Status.Allocatable["nvidia.com/gpu"] = resource.Quantity{} },
		"nobody speaks of them any more": func(n *corev1.Node) { n.Status.Allocatable = nil },
	} {
		for what, again := range map[string]bool{"one process": false, "each after a restart": true} {
			t.Run(sentence+", "+what, func(t *testing.T) {
				nodes, unfit := fleet(920, 80, 0), map[string]bool{}
				is := func(name string) bool { return unfit[name] }
				b := NewBudget(Policy{MaxPercent: 10}, nodes, is)
				for _, n := range nodes[920:] {
					lose(n)
					if again && n.Status.Allocatable != nil {
						b = NewBudget(Policy{MaxPercent: 10}, nodes, is)
					}
					if b.Refuses(n, gpu) == "" {
						b.Take(n, gpu...)
						unfit[n.Name] = true
					}
				}
				if len(unfit) > 8 {
					t.Errorf("%d of 80 nodes are called unfit, want 8 at most", len(unfit))
				}
			})
		}
	}
}

// TestDividedDevicesAreNotLost: nodes that divide their GPUs offer no whole ones. What they are unfit by takes no place of those that do.
func TestDividedDevicesAreNotLost(t *testing.T) {
	nodes := fleet(0, 4, 0)
	for _, n := range nodes[2:] {
		n.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": resource.Quantity{}, "nvidia.com/mig-1g.18gb": *resource.NewQuantity(56, resource.DecimalSI)}
	}
	b := NewBudget(Policy{MaxPercent: 100}, nodes, func(name string) bool { return name != nodes[0].Name && name != nodes[1].Name })
	for _, n := range nodes[:2] {
		if why := b.Refuses(n, []string{"nvidia.com/gpu"}); why != "" {
			t.Errorf("node %s: %s", n.Name, why)
		}
		b.Take(n, "nvidia.com/gpu")
	}
}

// TestWhoLostItsDevicesIsStillOneOfThePool: a kubelet may tell of zero devices on a node that never had any. It takes no place of the others.
func TestWhoLostItsDevicesIsStillOneOfThePool(t *testing.T) {
	nodes := fleet(1, 3, 0)
	nodes[0].Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": resource.Quantity{}}
	b := NewBudget(Policy{MaxPercent: 100}, nodes, func(name string) bool { return name == nodes[0].Name })
	for _, n := range nodes[1:] {
		if why := b.Refuses(n, []string{"nvidia.com/gpu"}); why != "" {
			t.Errorf("node %s: %s", n.Name, why)
		}
		b.Take(n, "nvidia.com/gpu")
	}
}
