package policy

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/workload"
)

// changes that a policy measures again after.
type changes struct{ reboot, kernel, driver, devices, benchmark bool }

func changesOf(on []v1alpha1.Change) changes {
	has := func(c v1alpha1.Change) bool { return slices.Contains(on, c) }
	return changes{reboot: has(v1alpha1.ChangeReboot), kernel: has(v1alpha1.ChangeKernel), driver: has(v1alpha1.ChangeDriver),
		devices: has(v1alpha1.ChangeDevices), benchmark: has(v1alpha1.ChangeBenchmark)}
}

// differ names the first change that counts between what a node was and what it is; empty: none.
func (c changes) differ(was, is *v1alpha1.Machine) v1alpha1.Change {
	switch {
	case c.reboot && was.BootID != is.BootID:
		return v1alpha1.ChangeReboot
	case c.kernel && was.Kernel != is.Kernel:
		return v1alpha1.ChangeKernel
	case c.driver && was.Driver != is.Driver:
		return v1alpha1.ChangeDriver
	case c.devices && was.Devices != is.Devices:
		return v1alpha1.ChangeDevices
	}
	return ""
}

// anyChange is what starts the retries of a node anew.
var anyChange = changes{reboot: true, kernel: true, driver: true, devices: true}

// Labels of GPU feature discovery.
const (
	labelProduct = "nvidia.com/gpu.product"
	labelCount   = "nvidia.com/gpu.count"
	labelDriver  = "nvidia.com/cuda.driver-version.full"
	labelPieces  = "nvidia.com/cuda.driver."
)

// machines says what nodes are now. Like nodes share their texts: a fleet has thousands of nodes of a few kinds. What was asked last is
// remembered, because the benchmarks of a suite ask one after the other.
type machines struct {
	node     *corev1.Node
	resource string
	last     v1alpha1.Machine
	known    map[kind]v1alpha1.Machine
}

type kind struct {
	resource, product, driver, major, minor, rev string
	devices                                      int64
}

// of is the state of a node that a measurement by b would hold for.
func (m *machines) of(node *corev1.Node, b *v1alpha1.Benchmark) *v1alpha1.Machine {
	resource := b.Spec.Needs.DeviceResource
	if m.node == node && m.resource == resource {
		return &m.last
	}
	devices := workload.Devices(b, node)
	k := kind{resource: resource, devices: devices.Value(), product: node.Labels[labelProduct], driver: node.Labels[labelDriver]}
	if k.driver == "" {
		k.major, k.minor, k.rev = node.Labels[labelPieces+"major"], node.Labels[labelPieces+"minor"], node.Labels[labelPieces+"rev"]
	}
	is, known := m.known[k]
	if !known {
		is = machineOf(node, b)
		m.known[k] = is
	}
	is.BootID, is.Kernel = node.Status.NodeInfo.BootID, node.Status.NodeInfo.KernelVersion
	m.node, m.resource, m.last = node, resource, is
	return &m.last
}

// machineOf stands in for taint.MachineOf.
func machineOf(node *corev1.Node, b *v1alpha1.Benchmark) v1alpha1.Machine {
	m := v1alpha1.Machine{BootID: node.Status.NodeInfo.BootID, Kernel: node.Status.NodeInfo.KernelVersion}
	if b.Spec.Needs.DeviceResource == "" {
		return m
	}
	devices := workload.Devices(b, node)
	m.Driver, m.Devices = node.Labels[labelDriver], devices.String()
	if p := node.Labels[labelProduct]; p != "" {
		m.Devices += " x " + p
	}
	return m
}
