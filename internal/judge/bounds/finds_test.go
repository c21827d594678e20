package bounds

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestTheLeastLossIsMissedByOneInAHundred: where one of the conditions decides, exactly; where several do, at the most.
func TestTheLeastLossIsMissedByOneInAHundred(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for sentence, c := range map[string]struct {
		noise        Difference
		near, far    float64
		measurements int
		exact        bool
	}{
		"what lasts, by the far bound":     {Difference{Lasting: 1e-4}, 0.025, 0.05, 3, true},
		"what comes and goes, once":        {Difference{Run: 1e-4}, 0.01, 0.04, 1, true},
		"what comes and goes, by the near": {Difference{Run: 1e-4}, 0.03, 0.03, 3, false},
		"half of each":                     {Difference{Lasting: 1e-4, Run: 1e-4}, 0.03, 0.05, 3, false},
		"a fixed bound":                    {Difference{Lasting: 1e-6, Run: 1e-4}, 0.1, 0.1, 2, false},
	} {
		least := c.noise.Least(c.near, c.far, c.measurements)
		const draws = 40_000
		missed := 0
		for range draws {
			lasting, sum, suspect := math.Sqrt(c.noise.Lasting)*r.NormFloat64(), 0.0, true
			for range c.measurements {
				v := least + lasting + math.Sqrt(c.noise.Run)*r.NormFloat64()
				sum, suspect = sum+v, suspect && v > c.near
			}
			if !suspect || sum/float64(c.measurements) <= c.far {
				missed++
			}
		}
		share := float64(missed) / draws
		if share > 0.0115 || c.exact && share < 0.0085 {
			t.Errorf("%s: %.4f of a loss of %.4f are missed", sentence, share, least)
		}
	}
	if got := (Difference{}).Least(0.01, 0.02, 3); got != 0.02 {
		t.Errorf("without noise a loss beyond the bound of 0.02 is found, and not only one beyond %v", got)
	}
}
