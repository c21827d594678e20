package verdict

import (
	"fmt"
	"slices"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/quantity"
)

// TestAGPUAndItsPairsInOneMetric: what the pairs say of gpu0 does not hide what gpu0 was measured to reach.
func TestAGPUAndItsPairsInOneMetric(t *testing.T) {
	m := write()
	a := links(m, 4, "->", func(int, int) float64 { return 1 })
	for i, v := range []v1alpha1.Decimal{"200", "400", "400", "400"} {
		a.Measurements[0].Parts = append(a.Measurements[0].Parts, v1alpha1.PartValue{At: fmt.Sprintf("gpu%d", i), Value: v})
	}
	metrics := []v1alpha1.Metric{m}
	f := newFleet("p2p", metrics, []fleet.Digest{fleet.DigestAttempt(metrics, a)}, nil, true)
	if d := f.Decide([]v1alpha1.Attempt{*a}, rule.Given{}, 2); !d.NeedsAttempt {
		t.Errorf("half as fast, once: %s/%s: %s; want another attempt", d.Verdict, d.Reason, d.Message)
	}
	d := f.Decide([]v1alpha1.Attempt{*a, *a}, rule.Given{}, 2)
	if d.Verdict != v1alpha1.VerdictFail || !slices.ContainsFunc(d.Findings, func(f v1alpha1.Finding) bool { return f.At == "gpu0" }) {
		t.Errorf("half as fast, twice: %s/%s: %s; want Fail of gpu0", d.Verdict, d.Reason, d.Message)
	}
}

// TestHostileParts: whatever parts a program names, how often and in how many attempts, there is a decision. One that asks for no other
// attempt ends the benchmark, and says why.
func TestHostileParts(t *testing.T) {
	names := []string{"node", "", "gpu0", "gpu1", "gpu2", "gpu3", "gpu0->*", "*->gpu0", "gpu0->gpu0", "gpu0<->gpu1", "gpu", "gpu00", "GPU0",
		"gpu0->", "->gpu1", "gpu0->gpu1->gpu2", "gpu4294967296", "gpu-1", "64KiB", "gpu0 64KiB", "*", "estimated gpu0", "all", "gpu0->gpu1 64KiB"}
	for from := range 4 {
		for to := range 4 {
			names = append(names, fmt.Sprintf("gpu%d->gpu%d", from, to))
		}
	}
	values := []float64{400, 400, 400, 400, 400, 399, 390, 200, 100, 0, -400}
	e := v1alpha1.Expectation{MaxFleetDeviation: "0.01", MaxRegression: "0.02"}
	for seed := range uint64(800) {
		r := seeded(seed)
		m := write(func(m *v1alpha1.Metric) {
			m.Expectation = &e
			m.Better = []v1alpha1.Direction{v1alpha1.Higher, v1alpha1.Lower, ""}[r.IntN(3)]
		})
		var attempts []v1alpha1.Attempt
		for range 1 + r.IntN(3) {
			var a *v1alpha1.Attempt
			slow := values[r.IntN(len(values))] / 400
			if r.IntN(3) > 0 {
				a = links(m, 4, "->", involves(r.IntN(4), slow))
			} else {
				a = links(m, 4, "<->", func(int, int) float64 { return 1 })
			}
			for range r.IntN(40) {
				a.Measurements[0].Parts = append(a.Measurements[0].Parts, v1alpha1.PartValue{At: names[r.IntN(len(names))],
					Value: quantity.Decimal(values[r.IntN(len(values))], quantity.Exact)})
			}
			attempts = append(attempts, *a)
		}
		metrics := []v1alpha1.Metric{m}
		f := newFleet("p2p", metrics, []fleet.Digest{fleet.DigestAttempt(metrics, &attempts[len(attempts)-1])}, nil, true)
		facts := rule.Given{Past: pastOf(&attempts[0], &attempts[0], &attempts[0], &attempts[0], &attempts[0])}
		d := f.Decide(attempts, facts, 2)
		if d.Verdict == "" || d.Message == "" || len(attempts) == 3 && d.NeedsAttempt {
			t.Errorf("seed %d: %s/%s after %d attempts: %q", seed, d.Verdict, d.Reason, len(attempts), d.Message)
		}
	}
}
