package policy

import (
	"errors"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/expect"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
)

// Resolve finds the benchmarks that a policy asks for, cheapest first. The error is for the user: what to correct.
func Resolve(spec *v1alpha1.ValidationPolicySpec, all []v1alpha1.Benchmark) ([]validity.Benchmark, error) {
	chosen, err := choose(spec, all)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(chosen, func(a, b validity.Benchmark) int {
		return v1alpha1.CompareOrder(a.Object, b.Object)
	})
	return chosen, nil
}

func choose(spec *v1alpha1.ValidationPolicySpec, all []v1alpha1.Benchmark) ([]validity.Benchmark, error) {
	var chosen []validity.Benchmark
	add := func(b *v1alpha1.Benchmark, ref v1alpha1.BenchmarkRef) error {
		hash, err := asked(b, ref)
		if err != nil {
			return err
		}
		chosen = append(chosen, validity.Benchmark{Object: b, Asked: hash, Own: len(ref.Parameters)+len(ref.Expectations) > 0})
		return nil
	}
	for _, ref := range spec.Benchmarks {
		i := slices.IndexFunc(all, func(b v1alpha1.Benchmark) bool { return b.Name == ref.Name })
		if i < 0 {
			return nil, errors.New(message.BenchmarkUnknown(ref.Name))
		}
		if err := add(&all[i], ref); err != nil {
			return nil, err
		}
	}
	for i := range all {
		if spec.Suite != "" && slices.Contains(all[i].Spec.Suites, spec.Suite) {
			if err := add(&all[i], v1alpha1.BenchmarkRef{Name: all[i].Name}); err != nil {
				return nil, err
			}
		}
	}
	switch {
	case len(chosen) == 0:
		return nil, errors.New(message.SuiteUnknown(spec.Suite))
	case len(chosen) > catalogue.MaxBenchmarks:
		return nil, errors.New(message.SuiteTooLarge(spec.Suite, len(chosen), catalogue.MaxBenchmarks))
	}
	return chosen, nil
}

// asked is the hash of what a run with this reference asks of a node, if a run can ask it.
func asked(b *v1alpha1.Benchmark, ref v1alpha1.BenchmarkRef) (string, error) {
	if _, err := expect.Effective(b, ref.Expectations); err != nil {
		return "", err
	}
	return workload.Asked(b, ref)
}
