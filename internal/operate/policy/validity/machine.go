package validity

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
)

// changes that a policy measures again after.
type changes struct{ reboot, kernel, driver, devices, fabric, benchmark bool }

func changesOf(on []v1alpha1.Change) changes {
	has := func(c v1alpha1.Change) bool { return slices.Contains(on, c) }
	return changes{reboot: has(v1alpha1.ChangeReboot), kernel: has(v1alpha1.ChangeKernel), driver: has(v1alpha1.ChangeDriver),
		devices: has(v1alpha1.ChangeDevices), fabric: has(v1alpha1.ChangeDevices), benchmark: has(v1alpha1.ChangeBenchmark)}
}

// differ names the first change that counts between what a node was and what it is; empty: none. Labels tell driver and product, and are gone
// while feature discovery is: what is not known now has not changed, and neither has what was not known before, since the same boot.
func (c changes) differ(was, is *v1alpha1.Machine) v1alpha1.Change {
	switch {
	case c.reboot && was.BootID != is.BootID:
		return v1alpha1.ChangeReboot
	case c.kernel && was.Kernel != is.Kernel:
		return v1alpha1.ChangeKernel
	case c.driver && was.Driver != is.Driver && is.Driver != "" && (was.Driver != "" || was.BootID != is.BootID):
		return v1alpha1.ChangeDriver
	case c.devices && was.Devices != is.Devices && otherDevices(was, is), c.fabric && workload.OtherFabric(was.Fabric, is.Fabric):
		return v1alpha1.ChangeDevices
	}
	return ""
}

// OnlyFabric: of what a DeviceChange may be, the fabric alone is another one.
func OnlyFabric(was, is *v1alpha1.Machine) bool {
	return (was.Devices == is.Devices || !otherDevices(was, is)) && workload.OtherFabric(was.Fabric, is.Fabric)
}

// otherDevices: another number of them, or another product.
func otherDevices(was, is *v1alpha1.Machine) bool {
	count, product, named := strings.Cut(was.Devices, nodevalidation.OfProduct)
	now, known, told := strings.Cut(is.Devices, nodevalidation.OfProduct)
	switch {
	case count != now:
		return true
	case !told, !named && was.BootID == is.BootID:
		return false
	}
	return product != known
}

// Machines says what nodes are now. Like nodes share their texts: a fleet has thousands of nodes of a few kinds. What was asked last is
// remembered, because the benchmarks of a suite ask one after the other.
type Machines struct {
	of       subject
	last     v1alpha1.Machine
	Known    map[Kind]v1alpha1.Machine
	profiles peak.Profiles
}

// subject is a node, and what of it a benchmark measures.
type subject struct {
	node     *corev1.Node
	resource string
	group    bool
}

func subjectOf(n *corev1.Node, b *v1alpha1.Benchmark) subject {
	return subject{n, b.Spec.Needs.DeviceResource, b.Spec.Scope == v1alpha1.ScopeGroup}
}

// Kind of nodes whose machines have the same texts.
type Kind struct {
	resource, product, driver string
	devices                   int64
}

// Of is the state of a node that a measurement by b would hold for. It is good until the next call.
func (m *Machines) Of(node *corev1.Node, b *v1alpha1.Benchmark) *v1alpha1.Machine {
	of := subjectOf(node, b)
	if m.of == of {
		return &m.last
	}
	k := Kind{resource: of.resource, product: node.Labels[v1alpha1.LabelGPUProduct], driver: nodevalidation.Driver(node.Labels)}
	if of.resource != "" {
		devices := workload.Devices(b, node)
		k.devices = devices.Value()
	}
	is, known := m.Known[k]
	if !known {
		is = nodevalidation.MachineOf(node, of.resource, "")
		m.Known[k] = is
	}
	is.BootID, is.Kernel = node.Status.NodeInfo.BootID, node.Status.NodeInfo.KernelVersion
	if of.group {
		is.Fabric = workload.FabricName(workload.FabricOf([]*v1alpha1.Fabric{m.profiles.Fabric(node.Labels)}, []*corev1.Node{node}))
	}
	m.of, m.last = of, is
	return &m.last
}
