package fleet

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// studentNodes draws nodes of like parts from Student's t, of standard deviation 1; without degrees of freedom from a normal distribution.
func studentNodes(seed uint64, nodes, parts, freedom int) (half betterHalf) {
	r := rand.New(rand.NewPCG(seed, 1))
	for range nodes {
		values := make([]float64, parts)
		for i := range values {
			values[i] = r.NormFloat64()
			if freedom > 0 {
				chi := 0.0
				for range freedom {
					v := r.NormFloat64()
					chi += v * v
				}
				values[i] /= math.Sqrt(chi / float64(freedom-2))
			}
		}
		half.add(values, v1alpha1.Higher)
	}
	return half
}

func TestTailsAreLearnt(t *testing.T) {
	for name, tt := range map[string]struct {
		nodes, freedom   int
		atLeast, atMost  float64
		widerBy, widerAt float64 // than without heavy tails
	}{
		"a large normal fleet":         {128, 0, 0, 0.03, 1, 1.1},
		"a large fleet of heavy tails": {128, 5, 0.7, 1, 1.5, 3},
		"one node tells nothing":       {1, 5, 0.005, 0.1, 1, 1.6},
	} {
		heavy, wider := 0.0, 0.0
		const fleets = 50
		for seed := range uint64(fleets) {
			half := studentNodes(seed, tt.nodes, 8, tt.freedom)
			s := half.spread(1)
			heavy += s.Heavy / fleets
			light := s
			light.Heavy = 0
			wider += s.Critical(4e-5) / light.Critical(4e-5) / fleets
		}
		if heavy < tt.atLeast || heavy > tt.atMost || wider < tt.widerBy || wider > tt.widerAt {
			t.Errorf("%s: tails are heavy with a probability of %.4f, bounds %.2f times as wide, want %+v", name, heavy, wider, tt)
		}
	}
}

// TestFaultsWidenNoBound: a slow part of each node changes neither what is seen of the scatter by much, nor its tails.
func TestFaultsWidenNoBound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	var healthy, faulty betterHalf
	for range 16 {
		values := make([]float64, 8)
		for i := range values {
			values[i] = r.NormFloat64()
		}
		healthy.add(values, v1alpha1.Higher)
		values[0] -= 20
		faulty.add(values, v1alpha1.Higher)
	}
	a, b := healthy.spread(1), faulty.spread(1)
	if ratio := math.Sqrt(b.Variance / a.Variance); ratio > 1.3 {
		t.Errorf("%.2f times as wide with a slow part in every node", ratio)
	}
	if b.Heavy > 0.1 {
		t.Errorf("tails are heavy with a probability of %.3f", b.Heavy)
	}
}

// TestHodgesLehmann: one value that is far off hardly moves it.
func TestHodgesLehmann(t *testing.T) {
	for name, tt := range map[string]struct {
		values []float64
		want   float64
	}{
		"two":                  {[]float64{1, 3}, 2},
		"alike":                {[]float64{5, 5, 5, 5}, 5},
		"one of eight far off": {[]float64{-100, 1, 2, 3, 4, 5, 6, 7}, 3.5},
		"the mean of a spread": {[]float64{1, 2, 3, 4}, 2.5},
		"many: their median":   {[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1000}, 9},
	} {
		if got := hodgesLehmann(tt.values); math.Abs(got-tt.want) > 0.5 {
			t.Errorf("%s: %v, want about %v", name, got, tt.want)
		}
	}
}

// TestTheTailsOfAMetricAreThoseOfTheOthersToo: what one metric of a small fleet only hints at, twelve prove, of which each by itself is the same.
func TestTheTailsOfAMetricAreThoseOfTheOthersToo(t *testing.T) {
	var metrics []v1alpha1.Metric
	for i := range 12 {
		metrics = append(metrics, v1alpha1.Metric{Name: fmt.Sprint("metric", i), Unit: "GB/s", Headline: true,
			Noise: v1alpha1.Noise{Run: "0", Part: "0.01", Node: "0.01"}, Expectation: &v1alpha1.Expectation{MaxFleetDeviation: "0.01"}})
	}
	heavy := func(metrics []v1alpha1.Metric, far float64) float64 {
		var nodes []*Digest
		for k := range 8 {
			a := &v1alpha1.Attempt{Verdict: v1alpha1.VerdictPass}
			for _, m := range metrics {
				values := []float64{99, 99.4, 99.8, 100, 100, 100.2, 100.6, 101}
				if k%4 == 0 {
					values[7] = far
				}
				measured := attemptOf(values).Measurements[0]
				measured.Name, measured.Unit = m.Name, m.Unit
				a.Measurements = append(a.Measurements, measured)
			}
			d := DigestAttempt(metrics, a)
			d.Node = fmt.Sprint("node", k)
			nodes = append(nodes, &d)
		}
		for p, l := range New(metrics, nodes, nil).pools {
			if p.Value().Metric == "metric0" {
				return l.sides[0].within.Heavy
			}
		}
		return -1
	}
	if alone, together := heavy(metrics[:1], 102.8), heavy(metrics, 102.8); alone < 0 || alone > 0.5 || together < 0.9 {
		t.Errorf("tails are heavy with a probability of %.4f by one metric, and of %.4f by twelve", alone, together)
	}
	if light := heavy(metrics, 101); light < 0 || light > 0.01 {
		t.Errorf("without tails their probability is %.4f", light)
	}
}
