package rule

import (
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/peak"
)

// slowAt is gpu0 of a recorded attempt, short of what was expected of a metric.
func slowAt(a *v1alpha1.Attempt, metric, at string, value float64) *subject {
	m := &v1alpha1.Metric{Name: metric, Unit: "TFLOP/s", Peak: "fp64Matrix", Better: v1alpha1.Higher}
	return &subject{metric: m, at: at, place: part.Read(at), attempt: a, value: value,
		peak: peak.Reference{Value: 66.9, ClockMHz: 1980}}
}

func TestWhatIsSaidOfTheClock(t *testing.T) {
	telemetry := func(name, unit string, values ...string) v1alpha1.Measurement {
		m := v1alpha1.Measurement{Name: name, Unit: unit}
		for i, at := range []string{"gpu0", "gpu1", "gpu2"} {
			if i < len(values) {
				m.Parts = append(m.Parts, v1alpha1.PartValue{At: at, Value: v1alpha1.Decimal(values[i])})
			}
		}
		return m
	}
	hot := &v1alpha1.Attempt{Telemetry: []v1alpha1.Measurement{telemetry("gpuSmClock", "MHz", "900", "1750", "1750"), telemetry("gpuTemperature", "C", "91"),
		{Name: "gpuThrottled", Unit: "fraction", Parts: []v1alpha1.PartValue{{At: "gpu0 swThermal", Value: "0.8"}, {At: "gpu1 swPowerCap", Value: "1"}}}}}
	for name, test := range map[string]struct {
		a        *v1alpha1.Attempt
		unit, at string
		want     string
	}{
		"a hot GPU": {hot, "TFLOP/s", "gpu0", "at 0.9 GHz and 91 C, the other 2 GPUs at 1.75 GHz; slowed by heat (swThermal) 80% of the time; 157.8% of the peak at that clock"},
		"a node that is slow as a whole is told by its slowest GPU": {hot, "GFLOP/s", "node",
			"gpu0 at 0.9 GHz and 91 C, the other 2 GPUs at 1.75 GHz; slowed by heat (swThermal) 80% of the time"},
		"no clock limits a memory":            {hot, "GB/s", "gpu0", ""},
		"a GPU that was not sampled":          {hot, "TFLOP/s", "gpu7", ""},
		"a pair of GPUs":                      {hot, "TFLOP/s", "gpu0->gpu1", ""},
		"no telemetry: a CPU":                 {&v1alpha1.Attempt{}, "GFLOP/s", "node", ""},
		"a clock in another unit is no clock": {&v1alpha1.Attempt{Telemetry: []v1alpha1.Measurement{telemetry("gpuSmClock", "GB/s", "900")}}, "TFLOP/s", "gpu0", ""},
		"a lone GPU has no others":            {&v1alpha1.Attempt{Telemetry: []v1alpha1.Measurement{telemetry("gpuSmClock", "MHz", "1980")}}, "TFLOP/s", "gpu0", "at 1.98 GHz; 71.7% of the peak at that clock"},
		"a clock of 0 is none":                {&v1alpha1.Attempt{Telemetry: []v1alpha1.Measurement{telemetry("gpuSmClock", "MHz", "0")}}, "TFLOP/s", "gpu0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := slowAt(test.a, "fp64", test.at, 48)
			s.metric.Unit = test.unit
			if got := s.context(); got != test.want {
				t.Errorf("context\n%q, want\n%q", got, test.want)
			}
		})
	}
}
