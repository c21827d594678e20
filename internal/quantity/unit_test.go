package quantity

import (
	"math"
	"testing"
)

func TestFactor(t *testing.T) {
	tests := []struct {
		from, to string
		want     float64
	}{
		{"GB/s", "GB/s", 1}, {"GB/s", "MB/s", 1e3}, {"MB/s", "GB/s", 1e-3}, {"KB/s", "B/s", 1e3}, {"kB", "B", 1e3}, {"GiB/s", "GB/s", 1.073741824},
		{"us", "s", 1e-6}, {"s", "ms", 1e3}, {"TFLOP/s", "GFLOP/s", 1e3}, {"M messages/s", "messages/s", 1e6}, {"kW", "W", 1e3}, {"count", "count", 1},
	}
	for _, tt := range tests {
		if got, ok := Factor(tt.from, tt.to); !ok || math.Abs(got/tt.want-1) > 1e-12 {
			t.Errorf("Factor(%q, %q) = %v, %v; want %v", tt.from, tt.to, got, ok, tt.want)
		}
	}
	for _, tt := range [][2]string{{"GB/s", "Gb/s"}, {"GB", "GB/s"}, {"s", "GB/s"}, {"count", "1"}, {"FLOP", "FLOP/s"}, {"dB", "B"}, {"Gis", "s"}, {"", "s"}} {
		if got, ok := Factor(tt[0], tt[1]); ok {
			t.Errorf("Factor(%q, %q) = %v, want none", tt[0], tt[1], got)
		}
	}
}

func TestIsTime(t *testing.T) {
	for unit, want := range map[string]bool{"s": true, "us": true, "ms": true, "GB/s": false, "messages/s": false, "": false, "1": false} {
		if got := IsTime(unit); got != want {
			t.Errorf("IsTime(%q) = %v, want %v", unit, got, want)
		}
	}
}
