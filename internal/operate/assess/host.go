package assess

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/internal/quantity"
)

// hostOf is the kind of machine that a node is: its type, and its CPUs. What kubelets reserve of a core makes no other machine. It is empty
// for a node that is gone, or says neither.
func hostOf(n *corev1.Node) string {
	if n == nil {
		return ""
	}
	kind := n.Labels[corev1.LabelInstanceTypeStable]
	if cpus := n.Status.Allocatable.Cpu().MilliValue(); cpus > 0 {
		kind += " " + strconv.FormatInt((cpus+500)/1000, 10) + " CPUs"
	}
	return quantity.Clip(strings.TrimSpace(kind), 128)
}
