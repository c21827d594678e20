package validity

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
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
func OnlyFabric(was *v1alpha1.Machine, is v1alpha1.Machine) bool {
	return (was.Devices == is.Devices || !otherDevices(was, &is)) && workload.OtherFabric(was.Fabric, is.Fabric)
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

// Machine is the state of a node that a measurement by b would hold for.
func (t *Terms) Machine(node *corev1.Node, b *v1alpha1.Benchmark) v1alpha1.Machine {
	fabric := ""
	if b.Spec.Scope == v1alpha1.ScopeGroup {
		fabric = workload.FabricName(workload.FabricOf([]*v1alpha1.Fabric{t.profiles.Fabric(node.Labels)}, []*corev1.Node{node}))
	}
	return nodevalidation.MachineOf(node, b.Spec.Needs.DeviceResource, fabric)
}
