package assess

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
)

// A measurement holds for a machine: the boot, kernel, driver and devices of the node, all as its kubelet and feature discovery tell them, and the
// fabric by which a group reached its other nodes.
// Each pod bears the seal of what its node was when it was created. Where the node is the same when its result is read, that was measured;
// else nobody can tell on which of the two the program ran, and the node is measured once more. What a program sees is no witness: under
// Kata or gVisor it runs on a kernel of its own. A kubelet may forge the seal, but the boot and the devices as well.

func (t *Task) machineOf(n *corev1.Node, fabric *v1alpha1.Fabric) v1alpha1.Machine {
	return nodevalidation.MachineOf(n, t.Benchmark.Spec.Needs.DeviceResource, workload.FabricName(fabric))
}

// machineThen is the machine that a seal stands for, if the node is still that; nil: unknown.
func (t *Task) machineThen(n *corev1.Node, uid types.UID, fabric *v1alpha1.Fabric, seal string) *v1alpha1.Machine {
	if n == nil || n.UID != uid {
		return nil
	}
	if m := t.machineOf(n, fabric); nodevalidation.Seal(m) == seal {
		return &m
	}
	return nil
}
