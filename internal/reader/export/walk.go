package export

import (
	"iter"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

// Attempts of a result, each with its benchmark, in the order they were made.
func Attempts(r *v1alpha1.ValidationResult) iter.Seq2[*v1alpha1.BenchmarkResult, *v1alpha1.Attempt] {
	return func(yield func(*v1alpha1.BenchmarkResult, *v1alpha1.Attempt) bool) {
		for b := range list.Each(r.Benchmarks) {
			for j := range b.Attempts {
				if !yield(b, &b.Attempts[j]) {
					return
				}
			}
		}
	}
}

// Parts of what was measured, each with its metric.
func Parts(measured []v1alpha1.Measurement) iter.Seq2[*v1alpha1.Measurement, *v1alpha1.PartValue] {
	return func(yield func(*v1alpha1.Measurement, *v1alpha1.PartValue) bool) {
		for m := range list.Each(measured) {
			for j := range m.Parts {
				if !yield(m, &m.Parts[j]) {
					return
				}
			}
		}
	}
}

// Reached is a value of a part of a metric.
type Reached struct {
	*v1alpha1.Measurement
	At    string
	Value float64
}

// Numbers that were measured, part by part.
func Numbers(measured []v1alpha1.Measurement) iter.Seq[Reached] {
	return func(yield func(Reached) bool) {
		for m, p := range Parts(measured) {
			if v, ok := quantity.ParseDecimal(p.Value); ok && !yield(Reached{m, p.At, v}) {
				return
			}
		}
	}
}
