package report

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

// withPower adds what the part used while it was measured, in the last attempt that says so, and, of a rate, the value per watt.
func (m Metric) withPower(attempts []v1alpha1.Attempt) Metric {
	for i := len(attempts) - 1; i >= 0 && m.Watts == nil; i-- {
		m.Watts, m.WattsOf = wattsOf(&attempts[i], m.Name, m.At)
	}
	if m.Watts != nil && m.Value != nil && isRate(m.Unit) {
		m.PerWatt = new(quantity.Round(*m.Value / *m.Watts, quantity.ShownDigits))
	}
	return m
}

func isRate(unit string) bool {
	return strings.HasSuffix(unit, "/s") || strings.HasSuffix(unit, "/day")
}

// wattsOf a part during a metric: of a GPU, what its program read of it, else what was sampled beside the program. Of the node, all GPUs
// that a program read the power of, because it used them; else the machine's own meter.
func wattsOf(a *v1alpha1.Attempt, metric, at string) (watts *float64, of string) {
	if at == "" || at == "node" {
		if sum := sumOf(firstOf(a, metric+"Power", "power")); sum > 0 {
			return &sum, "gpus"
		}
		if sum := sumOf(firstOf(a, "nodePower")); sum > 0 {
			return &sum, "node"
		}
		return nil, ""
	}
	parts := firstOf(a, metric+"Power", "power", "gpuPower")
	if p := list.First(parts, func(p *v1alpha1.PartValue) bool { return p.At == at }); p != nil {
		if v, ok := quantity.ParseDecimal(p.Value); ok && v > 0 {
			return &v, at
		}
	}
	return nil, ""
}

// Lean is a result with what a report needs of it: of its attempts their number, verdict, cost and power, and where the node failed, what tells the
// cause. It takes a tenth of the memory.
func Lean(r *v1alpha1.ValidationResult) v1alpha1.ValidationResult {
	lean, watts := *r, func(m v1alpha1.Measurement) bool { return m.Unit == "W" }
	lean.Benchmarks = slices.Clone(r.Benchmarks)
	for i := range lean.Benchmarks {
		var attempts []v1alpha1.Attempt
		last := attempt.LastMeasured(r.Benchmarks[i].Attempts)
		for a := range list.Each(r.Benchmarks[i].Attempts) {
			if a == last && r.Verdict == v1alpha1.VerdictFail {
				attempts = append(attempts, evidence(a, r.Benchmarks[i].Findings))
				continue
			}
			attempts = append(attempts, v1alpha1.Attempt{Number: a.Number, Verdict: a.Verdict, Configuration: a.Configuration, Cost: a.Cost, Telemetry: list.Where(a.Telemetry, watts)})
		}
		lean.Benchmarks[i].Attempts = attempts
	}
	return lean
}

// firstOf these quantities in watts that an attempt has.
func firstOf(a *v1alpha1.Attempt, names ...string) []v1alpha1.PartValue {
	for _, name := range names {
		if m := list.First(a.Telemetry, func(m *v1alpha1.Measurement) bool { return m.Name == name && m.Unit == "W" }); m != nil {
			return m.Parts
		}
	}
	return nil
}

func sumOf(parts []v1alpha1.PartValue) float64 {
	sum := 0.0
	for _, p := range parts {
		v, _ := quantity.ParseDecimal(p.Value)
		sum += v
	}
	return sum
}
