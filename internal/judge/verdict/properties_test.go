package verdict

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/summary"
)

// decimalPattern of a Decimal in the API.
var decimalPattern = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// everything asks for every rule.
var everything = v1alpha1.Expectation{MinFractionOfPeak: "0.85", MaxFleetDeviation: "0.05", MaxRegression: "0.02", Min: "4000", Max: "5000"}

func randomFleet(r *rand.Rand, m v1alpha1.Metric) []*v1alpha1.Attempt {
	attempts := make([]*v1alpha1.Attempt, 1+r.IntN(12))
	for i := range attempts {
		attempts[i] = onGPUs(m, noisy(r, 1+r.IntN(8), 4370, 0.03)...)
	}
	return attempts
}

func TestOrderOfNodesDoesNotMatter(t *testing.T) {
	m := triad(expecting(everything))
	ms := []v1alpha1.Metric{m}
	facts := rule.Given{Peaks: h200(), Past: pastBy(m, "4370", "4380", "4360")}
	for seed := range uint64(300) {
		r := seeded(seed)
		attempts := randomFleet(r, m)
		shuffled := append([]*v1alpha1.Attempt{}, attempts...)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		one, other := fleetOf(bench, ms, attempts, true), fleetOf(bench, ms, shuffled, true)
		var rows, shuffledRows [][]v1alpha1.HeadlineValue
		for i, a := range attempts {
			x, y := judgeIn(one, a, facts), judgeIn(other, a, facts)
			if diff := cmp.Diff(x, y, cmpopts.IgnoreFields(rule.Outcome{}, "Attempt", "Sheet")); diff != "" {
				t.Fatalf("seed %d, node %d:\n%s", seed, i, diff)
			}
			rows = append(rows, x.Headline)
		}
		for _, a := range shuffled {
			shuffledRows = append(shuffledRows, judgeIn(one, a, facts).Headline)
		}
		if diff := cmp.Diff(summary.Summarise(ms, bench, rows), summary.Summarise(ms, bench, shuffledRows)); diff != "" {
			t.Fatalf("seed %d, summary:\n%s", seed, diff)
		}
	}
}

// TestWorseIsNeverBetter makes one part worse: it is found no less. Other parts of its node may come to look better beside it.
func TestWorseIsNeverBetter(t *testing.T) {
	rules := everything
	rules.Max = "" // where higher is better, max objects to what is too good
	for _, m := range []v1alpha1.Metric{triad(expecting(rules)), latency(v1alpha1.Expectation{
		MinFractionOfPeak: "0.0001", MaxFleetDeviation: "0.05", MaxRegression: "0.02", Max: "4800"})} {
		worse := 0.97
		if m.Better == v1alpha1.Lower {
			worse = 1.03
		}
		facts := rule.Given{Peaks: h200(), Past: pastBy(m, "4370", "4380", "4360")}
		for seed := range uint64(500) {
			r := seeded(seed)
			others := randomFleet(r, m)
			values := noisy(r, 1+r.IntN(8), 4370, 0.03)
			before := onGPUs(m, values...)
			part := r.IntN(len(values))
			values[part] *= worse
			after := onGPUs(m, values...)

			fixed := fleetOf(bench, []v1alpha1.Metric{m}, append(others, before), true)
			facts.Node = nodeOf(before)
			x, y := fixed.rules.Outcome(before, facts, bounds.MeanOf(1)), fixed.rules.Outcome(after, facts, bounds.MeanOf(1))
			if fails(x, "gpu"+strconv.Itoa(part)) && y.Verdict != v1alpha1.VerdictFail {
				t.Fatalf("%s, seed %d: worse turned %q into %q", m.Name, seed, x.Message, y.Message)
			}
		}
	}
}

func TestTheWholeFleetOnlyAddsObjections(t *testing.T) {
	m := triad(expecting(everything))
	for seed := range uint64(300) {
		attempts := randomFleet(seeded(seed), m)
		ms := []v1alpha1.Metric{m}
		partly, whole := fleetOf(bench, ms, attempts, false), fleetOf(bench, ms, attempts, true)
		for _, a := range attempts {
			early, late := judgeIn(partly, a, rule.Given{}), judgeIn(whole, a, rule.Given{})
			if early.Verdict == v1alpha1.VerdictPass || early.Verdict == v1alpha1.VerdictFail && late.Verdict != v1alpha1.VerdictFail {
				t.Fatalf("seed %d: %s before the fleet was whole, %s after", seed, early.Verdict, late.Verdict)
			}
		}
	}
}

// TestHostileNumbers: whatever decimals come, no number leaves that the API refuses.
func TestHostileNumbers(t *testing.T) {
	numbers := []v1alpha1.Decimal{"0", "-0", "1", "-1", "1e99", "-1e99", "1e100", "1e-99", "1e-400", "1e999", "-1e999",
		"99999999999999999999999999999999", "0.00000000000000000000000000001", "4370", "", "NaN"}
	for seed := range uint64(3000) {
		r := seeded(seed)
		pick := func() v1alpha1.Decimal { return numbers[r.IntN(len(numbers))] }
		profile := &v1alpha1.HardwareProfile{Spec: v1alpha1.HardwareProfileSpec{Peaks: []v1alpha1.Peak{
			{Name: "hbmBandwidth", Value: pick(), Reached: pick(), Unit: "TB/s"}}}}
		profile.Name = "hostile"
		e := v1alpha1.Expectation{MinFractionOfPeak: "0.9", MaxFleetDeviation: "0.05", MaxRegression: "0.02", Min: pick(), Max: pick()}
		m := triad(expecting(e), func(m *v1alpha1.Metric) {
			m.Better = []v1alpha1.Direction{v1alpha1.Higher, v1alpha1.Lower, ""}[r.IntN(3)]
		})
		got := v1alpha1.Measurement{Name: m.Name, Unit: []string{"GB/s", "nB/s", "EB/s"}[r.IntN(3)]}
		for i := range 1 + r.IntN(6) {
			got.Parts = append(got.Parts, v1alpha1.PartValue{At: fmt.Sprintf("gpu%d", i), Value: pick()})
		}
		history := pastBy(m, string(pick()), string(pick()), string(pick()), string(pick()))
		j := judgeAlone(m, attemptOf(got), rule.Given{Peaks: peak.Of(profile), Past: history})
		sums := summary.Summarise([]v1alpha1.Metric{m}, bench, [][]v1alpha1.HeadlineValue{j.Headline, j.Headline})
		check := func(d v1alpha1.Decimal, optional bool) {
			if (d != "" || !optional) && (!decimalPattern.MatchString(string(d)) || len(d) > 32) {
				t.Errorf("seed %d: the API refuses %q", seed, d)
			}
		}
		for _, h := range j.Headline {
			check(h.Value, false)
			check(h.Expected, true)
			check(h.PercentOfPeak, true)
			check(h.FleetDeviationPercent, true)
		}
		for _, s := range sums {
			for _, d := range []v1alpha1.Decimal{s.Median, s.Min, s.Max, s.P5, s.P95} {
				check(d, false)
			}
			check(s.PercentOfPeak, true)
		}
	}
}

// BenchmarkRun judges a fleet of 10,000 nodes with 8 GPUs each.
func BenchmarkRun(b *testing.B) {
	const nodes = 10_000
	m := triad(expecting(v1alpha1.Expectation{MinFractionOfPeak: "0.85", MaxFleetDeviation: "0.05"}))
	ms := []v1alpha1.Metric{m}
	r := seeded(1)
	attempts := make([]*v1alpha1.Attempt, nodes)
	for i := range attempts {
		attempts[i] = withDevices(onGPUs(m, noisy(r, 8, 4370, 0.002)...), "H200", 8)
	}
	facts := rule.Given{Peaks: h200()}
	b.Run("NewFleet", func(b *testing.B) {
		for b.Loop() {
			fleetOf(bench, ms, attempts, true)
		}
	})
	f := fleetOf(bench, ms, attempts, true)
	b.Run("Judge", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, a := range attempts {
				judgeIn(f, a, facts)
			}
		}
	})
}
