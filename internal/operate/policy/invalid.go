package policy

import (
	"errors"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
)

func selectorError(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(message.SelectorUnreadable("spec.selector", err))
}

// tooShort: passes would expire while the suite still runs.
func tooShort(spec *v1alpha1.ValidationPolicySpec, benchmarks []Benchmark) error {
	if len(benchmarks) == 0 {
		return errors.New(message.SuiteUnknown(spec.Suite))
	}
	if v, cost := spec.ValidForSeconds, takes(benchmarks); v != nil && *v < cost {
		return errors.New(message.ValidForTooShort(*v, cost))
	}
	return nil
}

// takes so many seconds to measure one node.
func takes(benchmarks []Benchmark) (seconds int64) {
	for i := range benchmarks {
		seconds += int64(benchmarks[i].Object.Spec.CostSeconds)
	}
	return seconds
}

// standStill is what is left to do for a policy that cannot be enforced: nothing is measured, and no gate opens. What was known stays.
func (p *pass) standStill() {
	for i := range p.Nodes {
		if n := &p.Nodes[i]; n.Seen != (Seen{}) {
			p.plan.Seen[n.Object.UID] = n.Seen
		}
	}
	p.sayInvalid()
}
