// Package attempt reads attempts: what they measured, which of them count, and what several come to together.
package attempt

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

// Alike are the attempts that may be compared with each other: those of the configuration that was measured last, and those that
// measured nothing. Another image that fails confirms nothing of the first.
func Alike(attempts []v1alpha1.Attempt) []v1alpha1.Attempt {
	last := LastMeasured(attempts)
	other := func(a v1alpha1.Attempt) bool { return Measured(a) && a.Configuration != last.Configuration }
	if last == nil || !slices.ContainsFunc(attempts, other) {
		return attempts
	}
	return slices.DeleteFunc(slices.Clone(attempts), other)
}

// Measured: the attempt left values, good or bad.
func Measured(a v1alpha1.Attempt) bool {
	return a.Verdict == v1alpha1.VerdictPass || a.Verdict == v1alpha1.VerdictFail
}

// Sampled finds a quantity in an attempt's telemetry.
func Sampled(a *v1alpha1.Attempt, name string) *v1alpha1.Measurement {
	return named(a.Telemetry, name)
}

// LastMeasured is the newest attempt that was measured; nil: there is none.
func LastMeasured(attempts []v1alpha1.Attempt) *v1alpha1.Attempt {
	for i := range slices.Backward(attempts) {
		if Measured(attempts[i]) {
			return &attempts[i]
		}
	}
	return nil
}

// PartValue is the value of one part in a metric's unit.
type PartValue struct {
	At    string
	Value float64
}

// Values are the parts of a metric that an attempt measured, in the metric's unit; none where the units do not agree.
func Values(a *v1alpha1.Attempt, m *v1alpha1.Metric) []PartValue {
	got := Measurement(a, m.Name)
	if got == nil {
		return nil
	}
	factor, ok := quantity.Factor(got.Unit, m.Unit)
	if !ok {
		return nil
	}
	var out []PartValue
	for at, v := range Numbers(got) {
		out = append(out, PartValue{at, v * factor})
	}
	return out
}

// Numbers are the values of a measurement by part, but for those that are none; nil has none.
func Numbers(m *v1alpha1.Measurement) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for i := 0; m != nil && i < len(m.Parts); i++ {
			if v, ok := quantity.ParseDecimal(m.Parts[i].Value); ok && !yield(m.Parts[i].At, v) {
				return
			}
		}
	}
}

// WrongData: a data check of the attempt failed, in a program that was not stopped, or its program said so.
func WrongData(a *v1alpha1.Attempt) bool {
	isWrong := func(c v1alpha1.Check) bool { return !c.OK && v1alpha1.IsDataCheck(c.Name) }
	return a.Verdict == v1alpha1.VerdictFail || !v1alpha1.Interrupted(a.Checks) && slices.ContainsFunc(a.Checks, isWrong)
}

// Measurement finds a metric in what an attempt reported.
func Measurement(a *v1alpha1.Attempt, name string) *v1alpha1.Measurement {
	return named(a.Measurements, name)
}

// Reading of a quantity in a unit: what the program measured, or else what was sampled beside it; nil: neither is there.
func Reading(a *v1alpha1.Attempt, name, unit string) *v1alpha1.Measurement {
	in := func(m *v1alpha1.Measurement) bool { return m.Name == name && m.Unit == unit }
	return cmp.Or(list.First(a.Measurements, in), list.First(a.Telemetry, in))
}

func named(all []v1alpha1.Measurement, name string) *v1alpha1.Measurement {
	return list.First(all, func(m *v1alpha1.Measurement) bool { return m.Name == name })
}

// DeviceNames are what the newest attempt of a result that saw a device calls it, gpu3 say, by UUID; nil has none.
func DeviceNames(r *v1alpha1.ValidationResult) map[string]string {
	names := map[string]string{}
	if r == nil {
		return names
	}
	for b := range list.Each(r.Benchmarks) {
		for a := range list.Each(b.Attempts) {
			for _, d := range a.Devices {
				names[d.UUID] = fmt.Sprintf("gpu%d", d.Index)
			}
		}
	}
	delete(names, "")
	return names
}

// Mean is what several attempts measured together: each part that all of them have, at the mean of its values. It was measured when
// the first of them was, so that their own run is no past of it.
func Mean(attempts []*v1alpha1.Attempt) *v1alpha1.Attempt {
	if len(attempts) == 1 {
		return attempts[0]
	}
	first := attempts[0]
	mean := *attempts[len(attempts)-1]
	mean.LaunchTime, mean.Measurements = first.LaunchTime, nil
	for m := range list.Each(first.Measurements) {
		values := make(map[string][]float64, len(m.Parts))
		for _, a := range attempts {
			for _, part := range Values(a, &v1alpha1.Metric{Name: m.Name, Unit: m.Unit}) {
				values[part.At] = append(values[part.At], part.Value)
			}
		}
		out := v1alpha1.Measurement{Name: m.Name, Unit: m.Unit}
		for _, part := range m.Parts {
			if all := values[part.At]; len(all) == len(attempts) {
				out.Parts = append(out.Parts, v1alpha1.PartValue{At: part.At, Value: quantity.Decimal(stat.Mean(all), quantity.Exact)})
			}
		}
		mean.Measurements = append(mean.Measurements, out)
	}
	return &mean
}
