package cluster

import (
	"cmp"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/campaign/cases"
)

// sharingLabels are what feature discovery says of a node that divides its GPUs.
var sharingLabels = map[string]map[string]string{
	cases.SharesTime:   {"nvidia.com/gpu.sharing-strategy": "time-slicing", "nvidia.com/gpu.replicas": "4", v1alpha1.LabelGPUProduct: "H200-SHARED"},
	cases.SharesSingle: {"nvidia.com/mig.strategy": "single", "nvidia.com/mig.config": "all-1g.18gb", v1alpha1.LabelGPUProduct: "H200-MIG-1g.18gb"},
	cases.SharesMixed:  {"nvidia.com/mig.strategy": "mixed", "nvidia.com/mig.config": "all-balanced"},
	cases.SharesSome:   {"nvidia.com/mig.strategy": "mixed"},
	cases.SharesSoon:   {"nvidia.com/mig.strategy": "mixed", "nvidia.com/mig.config": "all-1g.18gb", "nvidia.com/mig.config.state": "pending"},
}

// migSlice is what a device plugin offers of a GPU that is divided.
const migSlice = corev1.ResourceName("nvidia.com/mig-1g.18gb")

// discover labels a node as feature discovery does.
func (m *Machine) discover(n *corev1.Node) {
	for _, labels := range sharingLabels {
		maps.DeleteFunc(n.Labels, func(key, _ string) bool { _, ours := labels[key]; return ours })
	}
	if m.Spec.Slices && !m.Spec.Plugin || m.Spec.GPUs == 0 {
		return
	}
	n.Labels[v1alpha1.LabelGPUProduct] = m.product()
	maps.Copy(n.Labels, sharingLabels[m.Shares])
}

func (m *Machine) product() string { return cmp.Or(m.Spec.Product, "H200") }

// offer GPUs, or parts of them, as a device plugin does.
func (m *Machine) offer(s *corev1.NodeStatus) {
	delete(s.Capacity, migSlice)
	if m.Spec.Slices && !m.Plugin {
		delete(s.Capacity, GPU)
		return
	}
	whole, parts := int64(m.GPUs), int64(0)
	switch m.Shares {
	case cases.SharesTime:
		whole *= 4
	case cases.SharesSingle:
		whole *= 7
	case cases.SharesMixed:
		whole, parts = 0, 7*whole
	case cases.SharesSome:
		whole, parts = whole-1, 7
	case cases.SharesSoon:
		whole = 0
	}
	s.Capacity[GPU] = *resource.NewQuantity(whole, resource.DecimalSI)
	s.Allocatable[GPU] = s.Capacity[GPU]
	if parts > 0 {
		s.Capacity[migSlice] = *resource.NewQuantity(parts, resource.DecimalSI)
		s.Allocatable[migSlice] = s.Capacity[migSlice]
	}
}

// sharing of its GPUs that there is on such a node: in slices, MIG that is being set up cannot be told, and of a device that is a part none is published whole.
func sharing(n cases.NodeSpec, how string) string {
	switch {
	case n.GPUs == 0:
		return ""
	case n.Slices && (how == cases.SharesSome || how == cases.SharesSoon):
		return cases.SharesMixed
	}
	return how
}

// Divide the GPUs of a node among pods, or make them whole again.
func (m *Machine) Divide(how string) {
	m.Shares = sharing(m.Spec, how)
	m.noteSharing()
	m.cluster.Edit("discovery", m.Name, m.discover)
	m.report(corev1.ConditionTrue)
	m.publish()
}

// Measures: programs can find out whether the machine is slow by a benchmark.
func (m *Machine) Measures(benchmark string) bool {
	return benchmark == "cpu" || m.Shares == "" && m.Full > 0
}

// Pools of a machine beside that of all nodes: all that have GPUs, and of these all of its type.
func (m *Machine) Pools() []string {
	if m.Full == 0 {
		return nil
	}
	return []string{"with GPUs", "with GPUs of type " + m.Spec.Instance}
}
