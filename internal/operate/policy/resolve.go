package policy

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/expect"
	"github.com/assay-dev/assay/internal/measure/workload"
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
	objects, err := catalogue.Choose(all, spec.Suite, spec.Benchmarks, spec.Overrides)
	if err != nil {
		return nil, err
	}
	chosen := make([]validity.Benchmark, 0, len(objects))
	for i := range objects {
		ref := spec.Ref(objects[i].Name)
		hash, err := asked(&objects[i], ref)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, validity.Benchmark{Object: &objects[i], Asked: hash, Own: len(ref.Parameters)+len(ref.Expectations) > 0})
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
