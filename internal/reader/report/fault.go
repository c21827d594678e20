package report

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/cause"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

// Fault is one thing that is wrong with a node: its cause, as far as the record tells it, and what to do.
type Fault struct {
	cause.Told
	// Benchmarks that found it, that of the worst finding first.
	Benchmarks []string `json:"benchmarks"`
	// Metric of the worst finding, with its numbers where the rule judges any.
	Metric  string   `json:"metric"`
	Unit    string   `json:"unit,omitempty"`
	Value   *float64 `json:"value,omitempty"`
	Typical *float64 `json:"typical,omitempty"`
	Bound   *float64 `json:"bound,omitempty"`
}

func faultsOf(r *v1alpha1.ValidationResult) (all []Fault) {
	for _, f := range cause.Of(r) {
		worst := f.Broken[0]
		var benchmarks []string
		for _, b := range f.Broken {
			if !slices.Contains(benchmarks, b.Benchmark) {
				benchmarks = append(benchmarks, b.Benchmark)
			}
		}
		all = append(all, Fault{Told: f.Told(r.Node.Name), Benchmarks: benchmarks,
			Metric: worst.Metric, Unit: worst.Unit, Value: quantity.Known(worst.Value), Typical: quantity.Known(worst.Typical),
			Bound: quantity.Known(worst.Bound)})
	}
	return all
}

// NodeFault is a fault with its node.
type NodeFault struct {
	*Node
	*Fault
}

// Faults of all nodes, those of one cause that broke the same together: the first of each kind stands where the worst node has it.
func (r *Report) Faults() [][]NodeFault {
	var all []NodeFault
	for n := range list.Each(r.Nodes) {
		for f := range list.Each(n.Faults) {
			all = append(all, NodeFault{n, f})
		}
	}
	type kind struct {
		cause             cause.Kind
		benchmark, metric string
	}
	return list.Groups(all, func(f NodeFault) kind { return kind{f.Cause, f.Fault.Benchmarks[0], f.Metric} })
}

// evidence is what an attempt of a node that failed says of the cause: the metrics that failed, what was sampled beside them, and facts.
func evidence(a *v1alpha1.Attempt, findings []v1alpha1.Finding) v1alpha1.Attempt {
	kept := v1alpha1.Attempt{Number: a.Number, Verdict: a.Verdict, Configuration: a.Configuration, Cost: a.Cost, Telemetry: a.Telemetry, Facts: a.Facts, Devices: a.Devices}
	for f := range list.Each(findings) {
		m := attempt.Measurement(a, f.Metric)
		if f.Verdict == v1alpha1.VerdictFail && m != nil && attempt.Measurement(&kept, f.Metric) == nil {
			kept.Measurements = append(kept.Measurements, *m)
		}
	}
	return kept
}
