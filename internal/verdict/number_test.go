package verdict

import (
	"math"
	"regexp"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// pattern of a Decimal in the API.
var pattern = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

func TestNumber(t *testing.T) {
	for text, want := range map[string]float64{"0.88": 0.88, "-3": -3, "1.5e3": 1500, "0": 0, "1e-400": 0, "1e99": 1e99} {
		if got, ok := number(text); !ok || got != want {
			t.Errorf("number(%q) = %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "NaN", "Inf", "-Inf", "0x10", "1_000", "1e999", "-1e101", "e5", "1,5", "--1", "5 "} {
		if got, ok := number(text); ok {
			t.Errorf("number(%q) = %v, want none", text, got)
		}
	}
}

func TestDecimal(t *testing.T) {
	tests := []struct {
		value  float64
		digits int
		want   v1alpha1.Decimal
	}{
		{4367.25, -1, "4367.25"}, {4367.254321, 6, "4367.25"}, {0, 6, "0"}, {math.Copysign(0, -1), 6, "0"},
		{1234567.8, 6, "1234570"}, {1e99, 6, "1.00000e+99"}, {1e-9, -1, "1e-09"}, {-0.5, 6, "-0.5"},
		{math.NaN(), 6, ""}, {math.Inf(-1), 6, ""},
	}
	for _, tt := range tests {
		if got := decimal(tt.value, tt.digits); got != tt.want {
			t.Errorf("decimal(%v, %d) = %q, want %q", tt.value, tt.digits, got, tt.want)
		}
	}
}

func TestReadableUnit(t *testing.T) {
	tests := []struct {
		value    float64
		unit     string
		want     float64
		wantUnit string
	}{
		{4367, "GB/s", 4.367, "TB/s"}, {392, "GB/s", 392, "GB/s"}, {0.5, "GB/s", 500, "MB/s"}, {60000, "GFLOP/s", 60, "TFLOP/s"},
		{1500, "us", 1.5, "ms"}, {5000, "s", 5000, "s"}, {93, "%", 93, "%"}, {0, "GB/s", 0, "GB/s"}, {1e-30, "s", 1e-21, "ns"},
	}
	for _, tt := range tests {
		factor, unit := readableUnit(tt.unit, tt.value)
		if got := tt.value * factor; math.Abs(got-tt.want) > 1e-9*math.Abs(tt.want) || unit != tt.wantUnit {
			t.Errorf("%v %s is written %v %s, want %v %s", tt.value, tt.unit, got, unit, tt.want, tt.wantUnit)
		}
	}
}

func TestClip(t *testing.T) {
	for text, want := range map[string]string{"short": "short", "exactly10.": "exactly10.", "longer than ten": "longer ...", "ääääääää": "äää..."} {
		if got := Clip(text, 10); got != want {
			t.Errorf("Clip(%q) = %q, want %q", text, got, want)
		}
	}
}
