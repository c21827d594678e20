package past

import (
	"cmp"
	"slices"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// notMeasured stands for a value that a run did not bring.
const notMeasured = "-"

// BaselinePasses is how many of a part's first passing values its baseline is the median of.
const BaselinePasses = 5

// Recent are the values of a part in the last runs of its history, as many as there are since its first; empty where one did not
// measure it.
func Recent(p *v1alpha1.PartHistory) []v1alpha1.Decimal {
	if len(p.Recent) == 0 {
		return nil
	}
	values := make([]v1alpha1.Decimal, len(p.Recent))
	for i, text := range p.Recent {
		if text != notMeasured {
			values[i] = v1alpha1.Decimal(text)
		}
	}
	return values
}

// RecentOf values is the inverse of Recent.
func RecentOf(values []v1alpha1.Decimal) []v1alpha1.PassingValue {
	recent := make([]v1alpha1.PassingValue, len(values))
	for i, v := range values {
		recent[i] = cmp.Or(v1alpha1.PassingValue(v), notMeasured)
	}
	return recent
}

// Since is when a part first passed.
func Since(h *v1alpha1.PassHistory, p *v1alpha1.PartHistory) time.Time {
	if p.Since.IsZero() {
		return h.Since.Time
	}
	return p.Since.Time
}

// SpellOut writes into every run what the API leaves out where it is as in the run before.
func SpellOut(runs []v1alpha1.PassingRun) []v1alpha1.PassingRun {
	runs = slices.Clone(runs)
	for i := 1; i < len(runs); i++ {
		runs[i].Driver = cmp.Or(runs[i].Driver, runs[i-1].Driver)
		runs[i].Kernel = cmp.Or(runs[i].Kernel, runs[i-1].Kernel)
	}
	return runs
}
