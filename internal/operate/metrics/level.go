package metrics

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// level is one value of a node: what it reached when it was last measured, by its worst part.
type level struct {
	kind
	value float64
}

// kind of value: only like ones are compared. Nodes of different devices are not alike, nor is what a benchmark measures with other parameters.
type kind struct {
	shown
	configuration string
}

// shown are the labels of a kind of value.
type shown struct{ benchmark, metric, unit, devices string }

// levelsOf a node.
func levelsOf(v *v1alpha1.NodeValidation) (levels []level) {
	for i := range v.Benchmarks {
		b := &v.Benchmarks[i]
		if len(b.History) == 0 {
			continue
		}
		last := &b.History[len(b.History)-1]
		devices := ""
		if last.Machine != nil {
			devices = last.Machine.Devices
		}
		for _, h := range last.Values {
			if f, ok := quantity.ParseDecimal(h.Value); ok {
				levels = append(levels, level{kind{shown{b.Name, h.Metric, h.Unit, devices}, last.Configuration}, f})
			}
		}
	}
	return levels
}
