package policy

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

// onlyFabric: of what a DeviceChange may be, the fabric alone is another one.
func onlyFabric(was, is *v1alpha1.Machine) bool {
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

// anyChange is what starts the retries of a node anew. The fabric of a group is not that of each of its nodes where they differ, so it does so only where the
// node's own is another one, too.
var (
	anyChange     = changes{reboot: true, kernel: true, driver: true, devices: true, fabric: true}
	anyButFabrics = changes{reboot: true, kernel: true, driver: true, devices: true}
)

// fabricOf a node by which it reaches others now; empty: the pod network, or no benchmark measures groups.
func (t *terms) fabricOf(n *Node) string {
	for i := range t.benchmarks {
		if b := t.benchmarks[i].Object; b.Spec.Scope == v1alpha1.ScopeGroup {
			return t.machines.of(n.Object, b).Fabric
		}
	}
	return ""
}

// labelCount is where GPU feature discovery says how many devices a node has.
const labelCount = "nvidia.com/gpu.count"

// Labels that tell the driver, whole or in pieces: see nodevalidation.MachineOf.
const (
	labelDriver = "nvidia.com/cuda.driver-version.full"
	labelPieces = "nvidia.com/cuda.driver."
)

// machines says what nodes are now. Like nodes share their texts: a fleet has thousands of nodes of a few kinds. What was asked last is
// remembered, because the benchmarks of a suite ask one after the other.
type machines struct {
	node     *corev1.Node
	resource string
	group    bool
	last     v1alpha1.Machine
	known    map[kind]v1alpha1.Machine
	profiles peak.Profiles
}

type kind struct {
	resource, product, driver, major, minor, rev string
	devices                                      int64
}

// of is the state of a node that a measurement by b would hold for. It is good until the next call.
func (m *machines) of(node *corev1.Node, b *v1alpha1.Benchmark) *v1alpha1.Machine {
	resource, group := b.Spec.Needs.DeviceResource, b.Spec.Scope == v1alpha1.ScopeGroup
	if m.node == node && m.resource == resource && m.group == group {
		return &m.last
	}
	k := kind{resource: resource, product: node.Labels[v1alpha1.LabelGPUProduct], driver: node.Labels[labelDriver]}
	if k.driver == "" {
		k.major, k.minor, k.rev = node.Labels[labelPieces+"major"], node.Labels[labelPieces+"minor"], node.Labels[labelPieces+"rev"]
	}
	if resource != "" {
		devices := workload.Devices(b, node)
		k.devices = devices.Value()
	}
	is, known := m.known[k]
	if !known {
		is = nodevalidation.MachineOf(node, resource, "")
		m.known[k] = is
	}
	is.BootID, is.Kernel = node.Status.NodeInfo.BootID, node.Status.NodeInfo.KernelVersion
	if group {
		is.Fabric = workload.FabricName(workload.FabricOf([]*v1alpha1.Fabric{m.profiles.Fabric(node.Labels)}, []*corev1.Node{node}))
	}
	m.node, m.resource, m.group, m.last = node, resource, group, is
	return &m.last
}
