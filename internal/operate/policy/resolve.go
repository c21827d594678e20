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
	objects, err := catalogue.Choose(all, spec.Suite, spec.Benchmarks, spec.Overrides)
	if err != nil {
		return nil, err
	}
	chosen := make([]validity.Benchmark, 0, len(objects))
	for i := range objects {
		ref := spec.Ref(objects[i].Name)
		if _, err := expect.Effective(&objects[i], ref.Expectations); err != nil { // no run could ask it
			return nil, err
		}
		hash, err := workload.Asked(&objects[i], ref)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, validity.Benchmark{Object: &objects[i], Asked: hash, Own: len(ref.Parameters)+len(ref.Expectations) > 0})
	}
	slices.SortFunc(chosen, func(a, b validity.Benchmark) int { return v1alpha1.CompareOrder(a.Object, b.Object) })
	return chosen, nil
}
