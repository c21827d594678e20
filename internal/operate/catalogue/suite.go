package catalogue

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Suites that benchmarks belong to, by name.
func Suites(all []v1alpha1.Benchmark) []string {
	var names []string
	for i := range all {
		names = append(names, all[i].Spec.Suites...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// OfSuite are the benchmarks of a suite, in their order.
func OfSuite(all []v1alpha1.Benchmark, suite string) []v1alpha1.Benchmark {
	var chosen []v1alpha1.Benchmark
	for i := range all {
		if slices.Contains(all[i].Spec.Suites, suite) {
			chosen = append(chosen, all[i])
		}
	}
	return chosen
}
