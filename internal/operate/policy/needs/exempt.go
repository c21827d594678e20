package needs

import (
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// Exempts: by the catalogue, the benchmark is not for this node, as the node itself declares. What a program says exempts from nothing: it says
// so, too, where the driver is too old, devices are lost, or somebody asked for more than any node has.
func Exempts(b *v1alpha1.Benchmark, n *corev1.Node) bool { return FewDevices(b, n) || otherKind(b, n) }

// FewDevices: the node has devices, but fewer than the benchmark is about: one GPU has no peer. One that offers fewer than its kubelet or its label
// says has lost some, or has not registered all yet.
func FewDevices(b *v1alpha1.Benchmark, n *corev1.Node) bool {
	if b.Spec.Needs.DeviceResource == "" || b.Spec.Needs.MinDevices == nil {
		return false
	}
	devices := workload.Devices(b, n)
	have := devices.Value()
	return have >= 1 && have < int64(*b.Spec.Needs.MinDevices) && !LostDevices(b, n) && labelled(n.Labels[v1alpha1.LabelGPUCount], have)
}

// otherKind: the node has a label that the benchmark asks for, with another value. A label that is not there, or says nothing, may come yet.
func otherKind(b *v1alpha1.Benchmark, n *corev1.Node) bool {
	s := b.Spec.Needs.Selector
	if s == nil {
		return false
	}
	for key, want := range s.MatchLabels {
		if is := n.Labels[key]; is != "" && is != want {
			return true
		}
	}
	return slices.ContainsFunc(s.MatchExpressions, func(e metav1.LabelSelectorRequirement) bool {
		is, labelled := n.Labels[e.Key]
		switch e.Operator {
		case metav1.LabelSelectorOpIn:
			return is != "" && !slices.Contains(e.Values, is)
		case metav1.LabelSelectorOpNotIn:
			return is != "" && slices.Contains(e.Values, is)
		case metav1.LabelSelectorOpDoesNotExist:
			return labelled
		}
		return false
	})
}

// LostDevices: the node offers fewer of a benchmark's devices than its kubelet or feature discovery says that it has.
func LostDevices(b *v1alpha1.Benchmark, n *corev1.Node) bool {
	resource := b.Spec.Needs.DeviceResource
	if resource == "" {
		return false
	}
	offered, has := workload.Devices(b, n), n.Status.Capacity[corev1.ResourceName(resource)]
	labelled, _ := strconv.ParseInt(n.Labels[v1alpha1.LabelGPUCount], 10, 64)
	plugin := resource == workload.GPUResource && !(has.IsZero() && offered.IsZero()) // else its GPUs may be for others, a DRA driver for example
	return has.Cmp(offered) > 0 || plugin && labelled > offered.Value()
}

// labelled: where there is a label that counts the devices, it says the same.
func labelled(count string, have int64) bool {
	n, err := strconv.ParseInt(count, 10, 64)
	return count == "" || err == nil && n == have
}
