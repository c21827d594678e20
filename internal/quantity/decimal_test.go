package quantity

import (
	"math"
	"regexp"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// pattern of a Decimal in the API.
var pattern = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

func TestParseDecimal(t *testing.T) {
	for text, want := range map[string]float64{"0.88": 0.88, "-3": -3, "1.5e3": 1500, "0": 0, "1e-400": 0, "1e-101": 0, "1e99": 1e99} {
		if got, ok := ParseDecimal(text); !ok || got != want {
			t.Errorf("ParseDecimal(%q) = %v, %v; want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "NaN", "Inf", "-Inf", "0x10", "1_000", "1e999", "-1e101", "e5", "1,5", "--1", "5 "} {
		if got, ok := ParseDecimal(text); ok {
			t.Errorf("ParseDecimal(%q) = %v, want none", text, got)
		}
	}
}

func TestDecimal(t *testing.T) {
	tests := []struct {
		value  float64
		digits int
		want   v1alpha1.Decimal
	}{
		{4367.25, Exact, "4367.25"}, {4367.254321, 6, "4367.25"}, {0, 6, "0"}, {math.Copysign(0, -1), 6, "0"},
		{1234567.8, 6, "1234570"}, {1e99, 6, "1e+99"}, {1e-9, Exact, "1e-09"}, {-0.5, 6, "-0.5"}, {0.0001, 6, "0.0001"},
		{1e15, 6, "1e+15"}, {999999999999999, Exact, "999999999999999"}, {math.MaxFloat64, 2, "1.7976931348623157e+308"},
		{math.NaN(), 6, ""}, {math.Inf(-1), 6, ""}, {math.Inf(1), 6, ""},
	}
	for _, tt := range tests {
		got := Decimal(tt.value, tt.digits)
		if got != tt.want {
			t.Errorf("Decimal(%v, %d) = %q, want %q", tt.value, tt.digits, got, tt.want)
		}
		if got != "" && !pattern.MatchString(string(got)) {
			t.Errorf("Decimal(%v, %d) = %q, which the API refuses", tt.value, tt.digits, got)
		}
	}
}

func TestDecimalPercent(t *testing.T) {
	for v, want := range map[float64]v1alpha1.Decimal{75: "75", 17.64: "17.6", -17.66: "-17.7", 0.04: "0", -0.04: "0", 123456.78: "123456.8", 2e9: "2000000000"} {
		if got := DecimalPercent(v); got != want {
			t.Errorf("DecimalPercent(%v) = %q, want %q", v, got, want)
		}
	}
}
