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
