package workload

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/internal/measure/dra"
)

// Labels by which NVIDIA's GPU Operator says that it is changing a node, so that its GPUs are away and will come back.
const (
	labelUpgrade  = "nvidia.com/gpu-driver-upgrade-state"
	labelPlugin   = "nvidia.com/gpu.deploy.device-plugin"
	labelMIGState = "nvidia.com/mig.config.state"

	pluginPaused = "paused-for-"
)

// TurnedOff says that the node's administrator wants no device plugin there, so that it offers nothing on purpose; empty: nothing says so.
func TurnedOff(resource string, node *corev1.Node) string {
	if resource == GPUResource && dra.Shown(node) == nil && node.Labels[labelPlugin] == "false" {
		return HasLabel(labelPlugin, "false")
	}
	return ""
}

// Changing is the label that says why the devices of this resource are away for a while; empty: none does. A driver that awaits its upgrade, or
// failed it, is not being changed.
func Changing(resource string, node *corev1.Node) string {
	if resource != GPUResource {
		return ""
	}
	switch node.Labels[labelUpgrade] {
	case "", "upgrade-required", "upgrade-done", "upgrade-failed":
	default:
		return labelUpgrade
	}
	if strings.HasPrefix(node.Labels[labelPlugin], pluginPaused) {
		return labelPlugin
	}
	if s := node.Labels[labelMIGState]; s == "pending" || s == "rebooting" {
		return labelMIGState
	}
	return ""
}

// Readiness of a node, and since when.
func Readiness(node *corev1.Node) (ready bool, since time.Time) {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue, c.LastTransitionTime.Time
		}
	}
	return false, node.CreationTimestamp.Time
}
