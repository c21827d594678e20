package workload

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

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
	var found []string
	for name, q := range node.Status.Allocatable {
		if strings.HasPrefix(string(name), migResource) && !q.IsZero() {
			found = append(found, string(name))
		}
	}
	if len(found) == 0 {
		return "", 0
	}
	slice = slices.Min(found)
	q := node.Status.Allocatable[corev1.ResourceName(slice)]
	return slice, q.Value()
}
