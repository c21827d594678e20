package result

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// What a program says of each GPU's clock, power and temperature is kept as telemetry, and no more as text.
func TestReadingsOfEachGPUBecomeTelemetry(t *testing.T) {
	d := Document{
		Device: []Device{{Index: 0}, {Index: 3}},
		Parameters: map[string]any{
			"fp64ClockMHz": "1605,1630", "fp64PowerW": "680,-", "temperatureC": "57,52", // one value per GPU
			"fp64PeakAtClock": "54,55", "n": json.Number("8192"), "cubC": "13.1", "smClockMHz": "1648", "powerW": "660,x", "memoryClockMHz": "-,-",
		},
	}
	var a v1alpha1.Attempt
	d.fill(&a)
	part := func(at, value string) v1alpha1.PartValue {
		return v1alpha1.PartValue{At: at, Value: v1alpha1.Decimal(value)}
	}
	want := []v1alpha1.Measurement{
		{Name: "fp64Clock", Unit: "MHz", Better: v1alpha1.Higher, Parts: []v1alpha1.PartValue{part("gpu0", "1605"), part("gpu3", "1630")}},
		{Name: "fp64Power", Unit: "W", Better: v1alpha1.Lower, Parts: []v1alpha1.PartValue{part("gpu0", "680")}},
		{Name: "temperature", Unit: "C", Better: v1alpha1.Lower, Parts: []v1alpha1.PartValue{part("gpu0", "57"), part("gpu3", "52")}},
	}
	if diff := cmp.Diff(want, a.Telemetry); diff != "" {
		t.Errorf("telemetry (-want +got):\n%s", diff)
	}
	if note := "parameters: cubC=13.1 fp64PeakAtClock=54,55 memoryClockMHz=-,- n=8192 powerW=660,x smClockMHz=1648"; a.Notes[0] != note {
		t.Errorf("note %q, want %q", a.Notes[0], note)
	}
}

// The API takes 64 measurements of telemetry, each name once. A program says what it likes.
func TestReadingsAreBounded(t *testing.T) {
	sampled := []v1alpha1.Measurement{{Name: "gpuPower", Unit: "W"}}
	d := Document{Device: []Device{{}}, Parameters: map[string]any{"gpuPowerW": "1", "powerW": "1", "powerC": "1"}}
	for i := range maxParameters {
		d.Parameters["x"+strings.Repeat("y", i)[:i%60]+string(rune('a'+i/60))+"W"] = "1"
	}
	seen := map[string]bool{"gpuPower": true}
	for _, m := range d.readings(sampled) {
		if seen[m.Name] {
			t.Errorf("%s is there twice", m.Name)
		}
		seen[m.Name] = true
	}
	if len(seen) != maxMeasurements {
		t.Errorf("%d measurements of telemetry, want %d", len(seen), maxMeasurements)
	}
}
