package v1alpha1

import "cmp"

// CompareOrder says which of two benchmarks of a run goes first: what measures the node at rest, then what is cheaper, then by name.
func CompareOrder(a, b *Benchmark) int {
	if a.Spec.AtRest != b.Spec.AtRest {
		if a.Spec.AtRest {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(a.Spec.CostSeconds, b.Spec.CostSeconds), cmp.Compare(a.Name, b.Name))
}
