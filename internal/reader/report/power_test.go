package report

import (
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func TestWattsAndPerWatt(t *testing.T) {
	watts := func(name string, parts ...v1alpha1.PartValue) v1alpha1.Measurement {
		return v1alpha1.Measurement{Name: name, Unit: "W", Parts: parts}
	}
	part := func(at string, value v1alpha1.Decimal) v1alpha1.PartValue {
		return v1alpha1.PartValue{At: at, Value: value}
	}
	own := watts("power", part("gpu0", "600"), part("gpu1", "500"))
	sampled := watts("gpuPower", part("gpu0", "650"), part("gpu1", "550"))
	meter := watts("nodePower", part("node", "2000"))
	for name, c := range map[string]struct {
		metric         Metric
		attempts       [][]v1alpha1.Measurement
		watts, perWatt float64
		of             string
	}{
		"a GPU's rate by what its program read of it":       {rate("fp64", "gpu1", "TFLOP/s"), [][]v1alpha1.Measurement{{sampled, own}}, 500, 2, "gpu1"},
		"by what it read during that metric":                {rate("fp64", "gpu1", "TFLOP/s"), [][]v1alpha1.Measurement{{own, watts("fp64Power", part("gpu1", "400"))}}, 400, 2.5, "gpu1"},
		"else by what was sampled beside it":                {rate("fp64", "gpu0", "TFLOP/s"), [][]v1alpha1.Measurement{{sampled}}, 650, 1.53846, "gpu0"},
		"the node's rate by all GPUs of a program for GPUs": {rate("trainingRate", "", "tokens/s"), [][]v1alpha1.Measurement{{own, meter}}, 1100, 0.909091, "gpus"},
		"else by the machine's meter, not by GPUs at rest":  {rate("simulationRate", "node", "ns/day"), [][]v1alpha1.Measurement{{sampled, meter}}, 2000, 0.5, "node"},
		"by the last attempt that says so":                  {rate("fp64", "gpu0", "TFLOP/s"), [][]v1alpha1.Measurement{{sampled}, {own}, nil}, 600, 1.66667, "gpu0"},
		"what is no rate has watts only":                    {rate("stepTime", "", "s"), [][]v1alpha1.Measurement{{own}}, 1100, 0, "gpus"},
		"a link has none":                                   {rate("writeBandwidth", "gpu0->gpu1", "GB/s"), [][]v1alpha1.Measurement{{own}}, 0, 0, ""},
		"a GPU that nobody read has none":                   {rate("fp64", "gpu7", "TFLOP/s"), [][]v1alpha1.Measurement{{own}}, 0, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var attempts []v1alpha1.Attempt
			for _, telemetry := range c.attempts {
				attempts = append(attempts, v1alpha1.Attempt{Telemetry: telemetry})
			}
			got := c.metric.withPower(attempts)
			if valueOf(got.Watts) != c.watts || valueOf(got.PerWatt) != c.perWatt || got.WattsOf != c.of {
				t.Errorf("%v W of %q, %v per watt; want %v of %q, %v", valueOf(got.Watts), got.WattsOf, valueOf(got.PerWatt), c.watts, c.of, c.perWatt)
			}
		})
	}
}

func rate(name, at, unit string) Metric {
	value := 1000.0
	return Metric{Name: name, At: at, Unit: unit, Value: &value}
}

func valueOf(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}
