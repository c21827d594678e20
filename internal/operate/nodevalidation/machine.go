package nodevalidation

import (
	"crypto/sha256"
	"encoding/hex"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/quantity"
)

// OfProduct stands in Machine.Devices between the number of devices and their product, where that is known.
const OfProduct = " x "

// MachineOf a node as it is now: what a pass of a benchmark that uses these devices, and this fabric, holds for. Empty: it uses none.
func MachineOf(node *corev1.Node, deviceResource, fabric string) v1alpha1.Machine {
	m := v1alpha1.Machine{
		BootID: quantity.Clip(node.Status.NodeInfo.BootID, 64),
		Kernel: quantity.Clip(node.Status.NodeInfo.KernelVersion, 128),
		Driver: quantity.Clip(driver(node.Labels), 64),
		Fabric: fabric,
	}
	if deviceResource == "" {
		return m
	}
	offered := node.Status.Allocatable[corev1.ResourceName(deviceResource)]
	m.Devices = offered.String()
	if product := node.Labels[v1alpha1.LabelGPUProduct]; product != "" {
		m.Devices = quantity.Clip(m.Devices+OfProduct+product, 128)
	}
	return m
}

// Seal of a machine: short, and another one for each machine that a node may be. No text has the separator.
func Seal(m v1alpha1.Machine) string {
	text := m.BootID + "\x00" + m.Kernel + "\x00" + m.Driver + "\x00" + m.Devices
	if m.Fabric != "" { // without one, seals are those of earlier releases
		text += "\x00" + m.Fabric
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}

// machineThen is the machine that the last measurement holds for; nil: unknown. Verdicts may come hours after it, so that the node as it is
// now says nothing.
func machineThen(b *v1alpha1.BenchmarkResult) *v1alpha1.Machine {
	if a := attempt.LastMeasured(b.Attempts); a != nil {
		return a.Machine.DeepCopy()
	}
	return nil
}
