package controllers

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/assess"
	"github.com/assay-dev/assay/internal/catalogue"
	"github.com/assay-dev/assay/internal/message"
)

// Resolve the Benchmarks of a suite, or else those that are named, cheapest first.
func Resolve(suite string, refs []v1alpha1.BenchmarkRef, all []v1alpha1.Benchmark) ([]v1alpha1.Benchmark, error) {
	chosen, err := ofSuite(suite, all)
	if suite == "" {
		chosen, err = named(refs, all)
	}
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(chosen, func(a, b v1alpha1.Benchmark) int {
		return cmp.Or(cmp.Compare(a.Spec.CostSeconds, b.Spec.CostSeconds), cmp.Compare(a.Name, b.Name))
	})
	return chosen, nil
}

func ofSuite(suite string, all []v1alpha1.Benchmark) ([]v1alpha1.Benchmark, error) {
	var chosen []v1alpha1.Benchmark
	for i := range all {
		if slices.Contains(all[i].Spec.Suites, suite) {
			chosen = append(chosen, all[i])
		}
	}
	if len(chosen) == 0 {
		return nil, assess.Invalid(message.SuiteUnknown(suite))
	}
	if len(chosen) > catalogue.MaxBenchmarks {
		return nil, assess.Invalid(message.SuiteTooLarge(suite, len(chosen), catalogue.MaxBenchmarks))
	}
	return chosen, nil
}

func named(refs []v1alpha1.BenchmarkRef, all []v1alpha1.Benchmark) ([]v1alpha1.Benchmark, error) {
	var chosen []v1alpha1.Benchmark
	for _, ref := range refs {
		i := slices.IndexFunc(all, func(b v1alpha1.Benchmark) bool { return b.Name == ref.Name })
		if i < 0 {
			return nil, assess.Invalid(message.BenchmarkUnknown(ref.Name))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}
