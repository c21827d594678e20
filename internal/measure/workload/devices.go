package workload

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/dra"
)

// GPUResource is what NVIDIA's device plugin offers: whole GPUs, or slices of them under the same name.
const GPUResource = "nvidia.com/gpu"

// Labels of GPU feature discovery and MIG manager that tell whether a node's GPUs are whole.
const (
	labelSharing   = "nvidia.com/gpu.sharing-strategy"
	labelReplicas  = "nvidia.com/gpu.replicas"
	labelProduct   = "nvidia.com/gpu.product"
	labelMIGConfig = "nvidia.com/mig.config"

	migResource = "nvidia.com/mig-"
	migDisabled = "all-disabled"
)

// Shared says how a node shares the devices of this resource among pods: by time-slicing, MPS or MIG. Empty: it offers whole ones. That a GPU is
// able to use MIG says nothing, nor does the strategy by which MIG would be offered.
func Shared(resource string, node *corev1.Node) string {
	if resource != GPUResource {
		return ""
	}
	if o := dra.Shown(node); o != nil && o.Shareable > 0 {
		return sharedDevices(fmt.Sprintf("driver %s lets several claims have the same device", o.Driver))
	}
	l := node.Labels
	if s := l[labelSharing]; s != "" && s != "none" {
		return sharedByLabel(labelSharing, s)
	}
	if n, err := strconv.Atoi(l[labelReplicas]); err == nil && n > 1 {
		return sharedByLabel(labelReplicas, l[labelReplicas])
	}
	if p := l[labelProduct]; strings.HasSuffix(p, "-SHARED") || strings.Contains(p, "-MIG-") {
		return sharedByLabel(labelProduct, p)
	}
	if slice, offered := migSlice(node); slice != "" {
		return sharedDevices(fmt.Sprintf("it offers %d %s", offered, slice))
	}
	if c := l[labelMIGConfig]; c != "" && c != migDisabled {
		return sharedByLabel(labelMIGConfig, c)
	}
	return ""
}

// migSlice is the first resource of MIG slices that a node offers, and how many; empty: none.
func migSlice(node *corev1.Node) (slice string, offered int64) {
	for _, name := range slices.Sorted(maps.Keys(node.Status.Allocatable)) {
		if q := node.Status.Allocatable[name]; strings.HasPrefix(string(name), migResource) && !q.IsZero() {
			return string(name), q.Value()
		}
	}
	return "", 0
}

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

// IsGPU: devices of this resource are GPUs, of whatever vendor.
func IsGPU(resource string) bool { return strings.HasSuffix(resource, "/gpu") }

// GPUsOf a pod: those that it holds. The cache has no containers, and pods of earlier releases no annotation.
func GPUsOf(pod *corev1.Pod) (n int64) {
	if n, err := strconv.ParseInt(pod.Annotations[v1alpha1.AnnotationGPUs], 10, 32); err == nil {
		return n
	}
	for i := range pod.Spec.Containers {
		for resource, limit := range pod.Spec.Containers[i].Resources.Limits {
			if IsGPU(string(resource)) {
				n += limit.Value()
			}
		}
	}
	return n
}

// GPUsOfGroup are those that the workers of a benchmark hold on these nodes.
func GPUsOfGroup(b *v1alpha1.Benchmark, nodes []*corev1.Node) int64 {
	if len(nodes) == 0 || !IsGPU(b.Spec.Needs.DeviceResource) {
		return 0
	}
	each := Devices(b, GroupLaunch{Benchmark: b, Nodes: nodes}.leastNode())
	return each.Value() * int64(len(nodes))
}

// leastNode offers the fewest devices: all workers of an MPIJob are alike and must fit on every node of the group.
func (l GroupLaunch) leastNode() *corev1.Node {
	return slices.MinFunc(l.Nodes, func(x, y *corev1.Node) int {
		a, b := Devices(l.Benchmark, x), Devices(l.Benchmark, y)
		return a.Cmp(b)
	})
}
