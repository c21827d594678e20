package stat

import (
	"fmt"
	"math"
	"testing"
)

// Upper quantiles of Student's t as computed by R's qt(p, df, lower.tail = FALSE) and printed in tables.
func TestStudentCritical(t *testing.T) {
	for _, row := range []struct {
		p    float64
		want map[float64]float64
	}{
		{0.1, map[float64]float64{1: 3.078, 2: 1.886, 3: 1.638, 10: 1.372, 30: 1.310, 60: 1.296, 120: 1.289}},
		{0.025, map[float64]float64{1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 10: 2.228, 30: 2.042, 60: 2.000, 120: 1.980}},
		{0.005, map[float64]float64{60: 2.660}},
		{0.0005, map[float64]float64{1: 636.619, 2: 31.599, 3: 12.924, 4: 8.610, 5: 6.869, 10: 4.587, 30: 3.646, 60: 3.460, 120: 3.373}},
		{1e-4, map[float64]float64{math.Inf(1): 3.719}},
		{1e-6, map[float64]float64{math.Inf(1): 4.753}},
	} {
		for freedom, want := range row.want {
			t.Run(fmt.Sprintf("%v beyond, %v degrees of freedom", row.p, freedom), func(t *testing.T) {
				if got := StudentCritical(row.p, freedom); math.Abs(got-want) > 0.0006 {
					t.Errorf("%.4f, the tables have %.3f", got, want)
				}
			})
		}
	}
	if got := StudentCritical(0.025, 0); !math.IsInf(got, 1) {
		t.Errorf("%v without any degree of freedom: nothing is beyond chance then", got)
	}
}

// Outside of what is asked in practice there is an answer all the same, and no endless search.
func TestStudentCriticalAtItsEdges(t *testing.T) {
	for _, p := range []float64{0.5, 0.9, 1} {
		if got := StudentCritical(p, 5); got != 0 {
			t.Errorf("%v beyond: %v, want 0", p, got)
		}
	}
	if got := StudentCritical(0.4, 0.5); math.Abs(StudentTail(got, 0.5)-0.4) > 1e-9 {
		t.Errorf("with half a degree of freedom, %v lies beyond %v, want 0.4", StudentTail(got, 0.5), got)
	}
	if got := StudentCritical(1e-9, 0.01); got < 1e20 {
		t.Errorf("with hardly any degree of freedom, %v is beyond chance already", got)
	}
}

// One and two degrees of freedom have closed forms: 1/tan(πp) and (1-2p)/√(2p(1-p)). They hold as far out as anything is judged.
func TestStudentCriticalFarOut(t *testing.T) {
	for _, p := range []float64{0.4, 0.05, 1e-3, 1e-6, 1e-9} {
		for freedom, want := range map[float64]float64{1: 1 / math.Tan(math.Pi*p), 2: (1 - 2*p) / math.Sqrt(2*p*(1-p))} {
			if got := StudentCritical(p, freedom); math.Abs(got/want-1) > 1e-9 {
				t.Errorf("%v beyond with %v degrees of freedom: %v, want %v", p, freedom, got, want)
			}
		}
	}
}

// Where there is no closed form, the density, integrated numerically, must give the probability back.
func TestStudentCriticalAgainstTheDensity(t *testing.T) {
	for _, freedom := range []float64{1, 3, 4.5, 30, 61.1, 200, 5000, 19_999, 20_001} {
		for _, p := range []float64{0.05, 1e-3, 1e-5, 1e-7, 1e-9} {
			x := StudentCritical(p, freedom)
			if got := exceeds(x, freedom); math.Abs(got/p-1) > 1e-6 {
				t.Errorf("%v degrees of freedom: %v instead of %v", freedom, got, p)
			}
			if got := StudentTail(x, freedom); math.Abs(got/p-1) > 1e-6 {
				t.Errorf("%v degrees of freedom: the tail beyond %v is %v, want %v", freedom, x, got, p)
			}
		}
	}
}

// exceeds is the probability that Student's t is above x, by Simpson's rule over the density with x = 1/u.
func exceeds(x, freedom float64) float64 {
	density := func(u float64) float64 {
		u = max(u, 1e-9) // the limit at 0 is not 0 with one degree of freedom
		return studentDensity(1/u, freedom) / (u * u)
	}
	const steps = 20000
	sum, width := 0.0, 1/x/steps
	for i := 0; i <= steps; i++ {
		weight := 2.0 + 2*float64(i%2)
		if i == 0 || i == steps {
			weight = 1
		}
		sum += weight * density(float64(i)*width)
	}
	return sum * width / 3
}

func BenchmarkStudentCritical(b *testing.B) {
	for b.Loop() {
		StudentCritical(1e-6, 61.1)
	}
}
