package workload

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

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
