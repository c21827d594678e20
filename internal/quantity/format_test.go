package quantity

import (
	"math"
	"strings"
	"testing"
)

func TestFormat(t *testing.T) {
	tests := []struct {
		value float64
		unit  string
		want  string
	}{
		{0.0108, "GB/s", "10.8 MB/s"}, {4367, "GB/s", "4.367 TB/s"}, {392, "GB/s", "392 GB/s"}, {42, "GB/s", "42 GB/s"},
		{0.5, "GB/s", "500 MB/s"}, {1000, "MB/s", "1 GB/s"}, {999.96, "GB/s", "1 TB/s"}, {999.94, "GB/s", "999.9 GB/s"},
		{1e-10, "GB/s", "0.1 B/s"}, {12, "KB/s", "12 kB/s"}, {2048, "GiB/s", "2 TiB/s"}, {0.5, "GiB", "512 MiB"},
		{123456, "GFLOP/s", "123.5 TFLOP/s"}, {60000, "GFLOP/s", "60 TFLOP/s"}, {0.001, "TFLOP/s", "1 GFLOP/s"},
		{1500, "us", "1.5 ms"}, {94.07, "us", "94.07 us"}, {5000, "s", "5000 s"}, {0.00005, "ns", "5e-05 ns"},
		{700, "W", "700 W"}, {1200, "W", "1.2 kW"}, {1980, "MHz", "1.98 GHz"}, {3400000, "messages/s", "3.4 M messages/s"},
		{12, "options/s", "12 options/s"}, {123456, "Mwidgets/s", "123456 Mwidgets/s"}, {93, "%", "93%"}, {-2.5, "GB/s", "-2.5 GB/s"},
		{0, "GB/s", "0 GB/s"}, {math.Copysign(0, -1), "s", "0 s"}, {3, "count", "3"}, {1234567, "count", "1234567"}, {2.5, "1", "2.5"},
		{7, "", "7"}, {12345.678, "C", "12346 C"}, {1e18, "count", "1e+18"},
	}
	for _, tt := range tests {
		if got := Format(tt.value, tt.unit); got != tt.want {
			t.Errorf("%v %s is written %q, want %q", tt.value, tt.unit, got, tt.want)
		}
	}
}

func TestScaleTellsItsNumbersApartInOneUnit(t *testing.T) {
	tests := []struct {
		unit string
		in   []float64
		want string
	}{
		{"GB/s", []float64{0.002928, 0.01078}, "2.928 MB/s, 10.78 MB/s"},
		{"GB/s", []float64{3612.4, 4236.32}, "3.612 TB/s, 4.236 TB/s"},
		{"GB/s", []float64{87.9999, 88}, "87.9999 GB/s, 88 GB/s"},
		{"GB/s", []float64{0, 88}, "0 GB/s, 88 GB/s"},
		{"GB/s", []float64{42, 42}, "42 GB/s, 42 GB/s"},
		{"us", []float64{3965, 12.5}, "3965 us, 12.5 us"},
		{"GB/s", []float64{999, 1001}, "999 GB/s, 1001 GB/s"},
		{"GB/s", []float64{0.000003, 12}, "3e-06 GB/s, 12 GB/s"},
		{"GB/s", []float64{0, -0.5}, "0 MB/s, -500 MB/s"},
		{"count", []float64{8, 16}, "8, 16"},
	}
	for _, tt := range tests {
		s := NewScale(tt.unit, tt.in...)
		var got []string
		for _, v := range tt.in {
			got = append(got, s.Format(v))
		}
		if text := strings.Join(got, ", "); text != tt.want {
			t.Errorf("%v %s are written %q, want %q", tt.in, tt.unit, text, tt.want)
		}
	}
}

func TestPercent(t *testing.T) {
	for v, want := range map[float64]string{75: "75%", 72.84: "72.8%", 100: "100%", 0.5: "0.5%", 0.042: "0.042%", 0: "0%", -17.63: "-17.6%", 1234.56: "1234.6%", 0.096: "0.1%"} {
		if got := Percent(v); got != want {
			t.Errorf("Percent(%v) = %q, want %q", v, got, want)
		}
	}
	for v, want := range map[float64]string{3.14: "+3.1%", -3.14: "-3.1%", 0: "0%"} {
		if got := SignedPercent(v); got != want {
			t.Errorf("SignedPercent(%v) = %q, want %q", v, got, want)
		}
	}
	for v, want := range map[float64]string{87.99996: "87.99996%", 88: "88%", 75: "75%"} {
		if got := PercentBeside(v, 88); got != want {
			t.Errorf("beside 88%%, %v is written %q, want %q", v, got, want)
		}
	}
}

// What is shown is the value, to half of its fourth digit, in whatever unit.
func FuzzFormatKeepsTheValue(f *testing.F) {
	for _, v := range []float64{0, 1, -1, 0.0108, 999.96, 123456, 1e-7, 1e14} {
		f.Add(v, uint8(0))
		f.Add(v, uint8(5))
	}
	units := []string{"GB/s", "GiB/s", "us", "s", "GFLOP/s", "messages/s", "%", "W", "MHz", "furlongs"}
	f.Fuzz(func(t *testing.T, v float64, n uint8) {
		if size := math.Abs(v); math.IsNaN(v) || size > 1e60 || size > 0 && size < 1e-60 {
			t.Skip("no quantity is so large or so small")
		}
		unit := units[int(n)%len(units)]
		text := Format(v, unit)
		got, ok := readBack(text, unit)
		if !ok {
			t.Fatalf("%v %s is written %q, which cannot be read", v, unit, text)
		}
		if half := 0.5e-3 * math.Abs(v); math.Abs(got-v) > half*(1+1e-9) {
			t.Errorf("%v %s is written %q, which is %v", v, unit, text, got)
		}
	})
}

// Numbers of one sentence that differ look different, are in one unit, and keep their order.
func FuzzScaleKeepsTheOrder(f *testing.F) {
	for _, v := range [][2]float64{{87.9999, 88}, {0.002928, 0.01078}, {0, 5}, {100, 100}, {1e-9, 1e9}} {
		f.Add(v[0], v[1])
	}
	f.Fuzz(func(t *testing.T, a, b float64) {
		if math.IsNaN(a+b) || math.Abs(a) > 1e60 || math.Abs(b) > 1e60 || math.Abs(a-b) < 1e-10*(math.Abs(a)+math.Abs(b)) {
			t.Skip("no two quantities are so large or so close")
		}
		if least := math.Min(math.Abs(a), math.Abs(b)); least > 0 && least < 1e-60 {
			t.Skip("no quantity is so small")
		}
		s := NewScale("GB/s", a, b)
		x, okX := readBack(s.Format(a), "GB/s")
		y, okY := readBack(s.Format(b), "GB/s")
		if !okX || !okY || (a < b) != (x < y) {
			t.Errorf("%v and %v are written %q and %q", a, b, s.Format(a), s.Format(b))
		}
	})
}

// readBack reads a formatted quantity in a unit.
func readBack(text, unit string) (float64, bool) {
	number, shown, _ := strings.Cut(text, " ")
	v, ok := ParseDecimal(number)
	factor, same := Factor(shown, unit)
	return v * factor, ok && same
}
