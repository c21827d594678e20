package verdict

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/quantity"
)

// hall is simulated hardware that is measured again and again.
type hall struct {
	hardwareNoise
	metric v1alpha1.Metric
	parts  [][]float64
}

func newHall(r *rand.Rand, n hardwareNoise, m v1alpha1.Metric, nodes, gpus int) hall {
	lasting := n
	lasting.run = 0
	return hall{n, m, lasting.nodes(r, nodes, gpus, 1)}
}

// measure a node whose gpu0 has lost so much.
func (h *hall) measure(r *rand.Rand, node int, loss float64) *v1alpha1.Attempt {
	values := make([]float64, len(h.parts[node]))
	for g, v := range h.parts[node] {
		if values[g] = v * (1 + h.run*r.NormFloat64()); g == 0 {
			values[g] *= 1 - loss
		}
	}
	return onGPUs(h.metric, values...)
}

// decide about the first node, whose gpu0 has lost so much, as the operator does: it is measured again as long as that is asked for.
func (h *hall) decide(r *rand.Rand, loss float64, before past.Past, confirmations int32) Decision {
	var firsts []*v1alpha1.Attempt
	for i := range h.parts {
		lost := loss
		if i > 0 {
			lost = 0
		}
		firsts = append(firsts, h.measure(r, i, lost))
	}
	judge := fleetOf(bench, []v1alpha1.Metric{h.metric}, firsts, true)
	attempts := []v1alpha1.Attempt{*firsts[0]}
	for {
		d := judge.Decide(attempts, rule.Given{Node: nodeOf(firsts[0]), Past: before}, confirmations)
		if !d.NeedsAttempt {
			return d
		}
		again := *h.measure(r, 0, loss)
		again.Number = int32(len(attempts) + 1)
		attempts = append(attempts, again)
	}
}

// TestTheLeastLossIsFound: what a healthy node's result claims would have been found is found in 99 of 100 such nodes, as far as chance lets so few tell;
// half of it clearly less often. The rule is the one that claims it.
func TestTheLeastLossIsFound(t *testing.T) {
	const runs = 300
	for sentence, c := range map[string]struct {
		noise         hardwareNoise
		expectation   v1alpha1.Expectation
		nodes, gpus   int
		past          int
		confirmations int32
		rule          string
	}{
		"beside the node's other GPUs":               {products, v1alpha1.Expectation{MaxFleetDeviation: "0.03"}, 1, 8, 0, 2, term.FleetDeviation},
		"beside other nodes":                         {memory, v1alpha1.Expectation{MaxFleetDeviation: "0.005"}, 16, 1, 0, 2, term.FleetDeviation},
		"beside both, without confirmation":          {products, v1alpha1.Expectation{MaxFleetDeviation: "0.03"}, 8, 8, 0, 0, term.FleetDeviation},
		"by a limit that is far beyond the noise":    {memory, v1alpha1.Expectation{MaxFleetDeviation: "0.05"}, 1, 8, 0, 2, term.FleetDeviation},
		"against its past":                           {products, v1alpha1.Expectation{MaxFleetDeviation: "0.1", MaxRegression: "0.01"}, 8, 8, 8, 2, term.Regression},
		"by a fixed bound, of which all know":        {products, v1alpha1.Expectation{Min: "4200"}, 8, 8, 0, 2, term.Min},
		"what varies mostly from run to run":         {hardwareNoise{0.02, 0.002, 0.002}, v1alpha1.Expectation{MaxFleetDeviation: "0.01"}, 8, 8, 0, 2, term.FleetDeviation},
		"what varies so, and is measured only twice": {hardwareNoise{0.02, 0.002, 0.002}, v1alpha1.Expectation{MaxFleetDeviation: "0.01"}, 8, 8, 0, 1, term.FleetDeviation},
	} {
		t.Run(sentence, func(t *testing.T) {
			r := seeded(5)
			m := c.noise.metric("0")
			m.Expectation = &c.expectation
			found, half, sum := 0, 0, 0.0
			for range runs {
				h := newHall(r, c.noise, m, c.nodes, c.gpus)
				var earlier []*v1alpha1.Attempt
				for range c.past {
					earlier = append(earlier, h.measure(r, 0, 0))
				}
				before := past.Past{}
				if c.past > 0 {
					before = pastOf(earlier...)
				}
				claim := h.decide(r, 0, before, c.confirmations).Headline[0]
				loss, ok := quantity.ParseDecimal(claim.FindsFromPercent)
				if !ok || claim.FindsBy != c.rule {
					t.Fatalf("claims to find %q by %q, want some by %s", claim.FindsFromPercent, claim.FindsBy, c.rule)
				}
				sum += loss
				failed := func(loss float64) int {
					d := h.decide(r, loss, before, c.confirmations)
					if d.Verdict == v1alpha1.VerdictFail && slices.ContainsFunc(d.Findings, func(f v1alpha1.Finding) bool { return f.At == "gpu0" }) {
						return 1
					}
					return 0
				}
				found, half = found+failed(loss/100), half+failed(loss/200)
			}
			t.Logf("%.2f%% in the mean: found %.3f, half of it %.3f", sum/runs, float64(found)/runs, float64(half)/runs)
			const chance = 0.0172 // three standard errors of so many draws
			if float64(found) < (0.99-chance)*runs {
				t.Errorf("%.2f%%: found %d of %d", sum/runs, found, runs)
			}
			if float64(half) > 0.7*runs {
				t.Errorf("half of %.2f%%: found %d of %d, so less would have been found", sum/runs, half, runs)
			}
		})
	}
}

// TestTheLeastLossOfACurveIsFound: of the greatest size, against what the smallest one predicts.
func TestTheLeastLossOfACurveIsFound(t *testing.T) {
	const runs, run = 1000, 0.01
	m := v1alpha1.Metric{Name: "rate", Unit: "GB/s", Better: v1alpha1.Higher, Headline: true, Scaling: v1alpha1.ScalingStrong,
		Noise: v1alpha1.Noise{Run: "0.01"}, Expectation: &v1alpha1.Expectation{MinEfficiency: "0.9"}}
	r := seeded(6)
	measure := func(loss float64) v1alpha1.Attempt {
		parts := []v1alpha1.PartValue{}
		for _, n := range []float64{1, 2, 4, 8} {
			value := n * 100 * (1 + run*r.NormFloat64())
			if n == 8 {
				value *= 1 - loss
			}
			parts = append(parts, v1alpha1.PartValue{At: fmt.Sprintf("%ggpu", n), Value: v1alpha1.Decimal(fmt.Sprint(value))})
		}
		return *attemptOf(v1alpha1.Measurement{Name: "rate", Unit: "GB/s", Parts: parts})
	}
	judge := newFleet(bench, []v1alpha1.Metric{m}, nil, nil, true)
	failed := func(loss float64) (d Decision) {
		var attempts []v1alpha1.Attempt
		for d.NeedsAttempt = true; d.NeedsAttempt; d = judge.Decide(attempts, rule.Given{}, 2) {
			attempts = append(attempts, measure(loss))
		}
		return d
	}
	found, half := 0, 0
	for range runs {
		claim := failed(0).Headline[0]
		loss, ok := quantity.ParseDecimal(claim.FindsFromPercent)
		if !ok || claim.FindsBy != term.Efficiency {
			t.Fatalf("claims to find %q by %q, want some by its efficiency", claim.FindsFromPercent, claim.FindsBy)
		}
		if failed(loss/100).Verdict == v1alpha1.VerdictFail {
			found++
		}
		if failed(loss/200).Verdict == v1alpha1.VerdictFail {
			half++
		}
	}
	t.Logf("found %d of %d, half of it %d", found, runs, half)
	if found < 0.98*runs || half > 0.7*runs {
		t.Errorf("found %d of %d, and of half that loss %d", found, runs, half)
	}
}
