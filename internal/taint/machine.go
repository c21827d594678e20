package taint

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// LabelProduct is the label of GPU feature discovery that names the product of a node's GPUs.
const LabelProduct = "nvidia.com/gpu.product"

// OfProduct stands in Machine.Devices between the number of devices and their product, where that is known.
const OfProduct = " x "

// MachineOf a node as it is now: what a pass of a benchmark that uses these devices holds for. Empty: it uses none.
func MachineOf(node *corev1.Node, deviceResource string) v1alpha1.Machine {
	m := v1alpha1.Machine{
		BootID: quantity.Clip(node.Status.NodeInfo.BootID, 64),
		Kernel: quantity.Clip(node.Status.NodeInfo.KernelVersion, 128),
		Driver: quantity.Clip(driver(node.Labels), 64),
	}
	if deviceResource == "" {
		return m
	}
	offered := node.Status.Allocatable[corev1.ResourceName(deviceResource)]
	m.Devices = offered.String()
	if product := node.Labels[LabelProduct]; product != "" {
		m.Devices = quantity.Clip(m.Devices+OfProduct+product, 128)
	}
	return m
}

// machineThen is the node as it was when a benchmark was measured. What was recorded of the same measurement before stays: the node may have
// been rebooted since. So it may have been between the measurement and the first look at it; then nothing is known but its boot.
func machineThen(h *v1alpha1.BenchmarkHistory, b *v1alpha1.BenchmarkResult, j Judgement) *v1alpha1.Machine {
	at := MeasuredAt(b)
	if i := slices.IndexFunc(h.History, func(e v1alpha1.HistoryEntry) bool { return e.RunUID == j.Run.UID && e.Time.Equal(&at) }); i >= 0 {
		if m := h.History[i].Machine; m != nil {
			return m.DeepCopy()
		}
	}
	m := MachineOf(j.Node, j.Asked[b.Name].DeviceResource)
	if a := lastMeasured(b); a != nil && a.BootID != "" && a.BootID != m.BootID {
		m = v1alpha1.Machine{BootID: a.BootID}
	}
	return &m
}
