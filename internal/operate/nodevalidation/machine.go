package nodevalidation

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

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
		Driver: quantity.Clip(driverOf(node.Labels), 64),
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

// Labels of GPU feature discovery that tell the driver's version, whole or in three pieces.
const labelDriverFull = "nvidia.com/cuda.driver-version.full"

var labelsDriver = [3]string{"nvidia.com/cuda.driver.major", "nvidia.com/cuda.driver.minor", "nvidia.com/cuda.driver.rev"}

// fingerprint of the node that a result validated. One of CPU benchmarks, for instance, names no devices: those of an earlier one stay.
func fingerprint(old v1alpha1.Fingerprint, node *corev1.Node, result *v1alpha1.ValidationResult) v1alpha1.Fingerprint {
	m := MachineOf(node, "", "")
	f := v1alpha1.Fingerprint{NodeUID: node.UID, BootID: m.BootID, Kernel: m.Kernel, Driver: m.Driver}
	f.DeviceUUIDs = firstOf(slices.Sorted(maps.Keys(attempt.DeviceNames(result))), maxDevices)
	if len(f.DeviceUUIDs) == 0 && old.NodeUID == f.NodeUID {
		f.DeviceUUIDs = old.DeviceUUIDs
	}
	return f
}

// driverOf of a node by its labels; empty: they do not tell it.
func driverOf(labels map[string]string) string {
	if full := labels[labelDriverFull]; full != "" {
		return full
	}
	var pieces []string
	for _, key := range labelsDriver {
		if labels[key] == "" {
			break
		}
		pieces = append(pieces, labels[key])
	}
	return strings.Join(pieces, ".")
}
