package stat

import (
	"slices"
	"testing"
)

func TestQuantile(t *testing.T) {
	values := []float64{1, 2, 4, 8}
	for q, want := range map[float64]float64{0: 1, 0.5: 3, 1: 8, 1. / 3: 2} {
		if got := Quantile(values, q); got != want {
			t.Errorf("quantile %v of %v is %v, want %v", q, values, got, want)
		}
	}
	if got := Quantile(values[:1], 0.95); got != 1 {
		t.Errorf("of one value any quantile is that value, not %v", got)
	}
}

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		in   []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{4, 1}, 2.5}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 3, 2}, 2.5}, {[]float64{1e308, 1e308}, 1e308}} {
		before := slices.Clone(tt.in)
		if got := Median(tt.in); got != tt.want {
			t.Errorf("Median(%v) = %v, want %v", before, got, tt.want)
		}
		if !slices.Equal(before, tt.in) {
			t.Errorf("Median reordered %v to %v", before, tt.in)
		}
	}
}
