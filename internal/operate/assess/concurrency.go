package assess

import "k8s.io/apimachinery/pkg/util/intstr"

// concurrent is how many nodes are measured at once (spec.maxConcurrentNodes): at least one.
func concurrent(limit *intstr.IntOrString, nodes int) int {
	if limit == nil {
		return max(1, nodes)
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(limit, nodes, false)
	if err != nil {
		return 1
	}
	return max(1, n)
}
