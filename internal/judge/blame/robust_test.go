package blame

import (
	"fmt"
	"math"
	"testing"
)

// TestCritical: Student's t as the printed tables have it (one-sided; 1, 2 and 30 degrees of freedom, and by the other formula 60
// and 120).
func TestCritical(t *testing.T) {
	for _, row := range []struct {
		p    float64
		want map[float64]float64
	}{
		{0.1, map[float64]float64{1: 3.078, 2: 1.886, 3: 1.638, 10: 1.372, 30: 1.310, 60: 1.296, 120: 1.289}},
		{0.025, map[float64]float64{1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 10: 2.228, 30: 2.042, 60: 2.000, 120: 1.980}},
		{0.0005, map[float64]float64{1: 636.619, 2: 31.599, 3: 12.924, 4: 8.610, 5: 6.869, 10: 4.587, 30: 3.646, 60: 3.460, 120: 3.373}},
	} {
		for freedom, want := range row.want {
			t.Run(fmt.Sprintf("%v beyond, %v degrees of freedom", row.p, freedom), func(t *testing.T) {
				if got := critical(row.p, freedom); math.Abs(got-want) > 0.0006 {
					t.Errorf("%.4f, the tables have %.3f", got, want)
				}
			})
		}
	}
	if got := critical(0.025, 0); !math.IsInf(got, 1) {
		t.Errorf("%v without any degree of freedom: nothing is beyond chance then", got)
	}
}
