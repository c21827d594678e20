package quantity

import (
	"slices"
	"testing"
)

func TestClip(t *testing.T) {
	for text, want := range map[string]string{"short": "short", "exactly10.": "exactly10.", "longer than ten": "longer ...", "ääääääää": "äää..."} {
		if got := Clip(text, 10); got != want {
			t.Errorf("Clip(%q, 10) = %q, want %q", text, got, want)
		}
	}
	for limit, want := range map[int]string{-1: "", 0: "", 2: "..", 3: "...", 4: "l..."} {
		if got := Clip("longer", limit); got != want {
			t.Errorf("Clip to %d bytes is %q, want %q", limit, got, want)
		}
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
