package bounds

import (
	"math"
	"testing"

	"github.com/assay-dev/assay/internal/stat"
)

// TestCriticalIsExceededAsOftenAsItSays, by both parts of the mixture together.
func TestCriticalIsExceededAsOftenAsItSays(t *testing.T) {
	for _, p := range []float64{0.05, 6e-4, 4e-5, 1e-9} {
		for _, heavy := range []float64{0, 1e-9, 0.01, 0.5, 1} {
			s := Spread{Variance: 1, Freedom: 40, Heavy: heavy}
			z := s.Critical(p)
			tail := (1-heavy)*stat.StudentTail(z, 40) + heavy*stat.StudentTail(z*heavyScale, heavyFreedom)
			if math.Abs(tail/p-1) > 1e-6 {
				t.Errorf("%g of 1 with heavy tails of %g: %v is exceeded by %g", p, heavy, z, tail)
			}
		}
	}
}

// TestTailsAreLearntTogether: what each of many metrics hints at is certain of all of them, and one that is odd speaks for itself.
func TestTailsAreLearntTogether(t *testing.T) {
	for name, tt := range map[string]struct {
		tails       []float64 // evidence: logarithms of likelihood ratios
		first, rest [2]float64
	}{
		"nothing is seen":            {[]float64{0, 0, 0}, [2]float64{heavyClaim, heavyClaim}, [2]float64{heavyClaim, heavyClaim}},
		"each of twelve hints":       {[]float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, [2]float64{0.9, 1}, [2]float64{0.9, 1}},
		"one of twelve is odd":       {[]float64{12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}, [2]float64{0.99, 1}, [2]float64{0, 0.01}},
		"one of twelve is not":       {[]float64{-4, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, [2]float64{0, 0.2}, [2]float64{0.95, 1}},
		"twelve speak against them":  {[]float64{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}, [2]float64{0, heavyElsewhere}, [2]float64{0, heavyElsewhere}},
		"floating point is no bound": {[]float64{1e4, -1e4, 1e4}, [2]float64{1, 1}, [2]float64{0, 1}},
	} {
		spreads := make([]*Spread, len(tt.tails))
		for i, e := range tt.tails {
			spreads[i] = &Spread{tails: e}
		}
		Together(spreads)
		for i, s := range spreads {
			want := tt.rest
			if i == 0 {
				want = tt.first
			}
			if !(s.Heavy >= want[0]-1e-12 && s.Heavy <= want[1]+1e-12) {
				t.Errorf("%s: tails of number %d are heavy with a probability of %v, want %v", name, i, s.Heavy, want)
			}
		}
	}
}
