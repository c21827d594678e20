package compare

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/judge/bounds"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance || math.IsNaN(got) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// Darwin's maize, for which SciPy's manual of wilcoxon prints p = 0.041259765625.
func TestSignedRankAgreesWithTheTextbook(t *testing.T) {
	maize := []float64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}
	near(t, "p", signedRank(maize, 0.05).p, 0.04126, 5e-6)
}

// Without ties, the p-value is below 5% where the interval leaves 0 out, and not elsewhere.
func TestTheIntervalOfRanksIsWhatTheTestDoesNotRefuse(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n, m := 6+r.IntN(60), 6+r.IntN(60)
		a, b := make([]float64, n), make([]float64, m)
		for i := range a {
			a[i] = r.NormFloat64() + 0.3
		}
		for i := range b {
			b[i] = r.NormFloat64()
		}
		for name, s := range map[string]shift{"signed-rank": signedRank(a, 0.05), "Mann-Whitney": mannWhitney(a, b, 0.05)} {
			if out := s.low > 0 || s.high < 0; out != (s.p <= 1-confidence) && math.Abs(s.p-0.05) > 0.003 {
				t.Errorf("%s of %d and %d values: p = %v, interval %v to %v", name, n, m, s.p, s.low, s.high)
			}
			if s.estimate < s.low || s.estimate > s.high {
				t.Errorf("%s: %v is not from %v to %v", name, s.estimate, s.low, s.high)
			}
		}
	}
}

// What the ranks of very many values show is found without listing their pairs; here they are listed.
func TestEstimatesAreTheMediansOfAllPairs(t *testing.T) {
	a, b := []float64{1, 2.5, 4, 7.5, 11, 3}, []float64{2, 5, 6.5, 9, 30}
	var walsh, differences []float64
	for i := range a {
		for j := i; j < len(a); j++ {
			walsh = append(walsh, (a[i]+a[j])/2)
		}
		for _, v := range b {
			differences = append(differences, v-a[i])
		}
	}
	middle := func(v []float64) float64 {
		slices.Sort(v)
		return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
	}
	near(t, "the median of the means", signedRank(a, 0.05).estimate, middle(walsh), 1e-9)
	near(t, "the median of the differences", mannWhitney(a, b, 0.05).estimate, middle(differences), 1e-9)
}

func TestEqualValuesAreNoDifference(t *testing.T) {
	same := []float64{1, 1, 1, 1, 1, 1, 1, 1}
	for name, s := range map[string]shift{"no differences": signedRank(make([]float64, 8), 0.05), "the same values": mannWhitney(same, same, 0.05)} {
		if s.p != 1 || s.estimate != 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

func TestHolm(t *testing.T) {
	got, levels := holm([]float64{0.01, 0.04, 0.03, 0.005, 0.9})
	for i, want := range []float64{0.04, 0.09, 0.09, 0.025, 0.9} {
		near(t, "corrected p", got[i], want, 1e-12)
	}
	for i, want := range []float64{0.05 / 4, 0.05 / 3, 0.05 / 3, 0.05 / 5, 0.05 / 3} {
		near(t, "level", levels[i], want, 1e-12)
	}
	if got, levels := holm(nil); len(got)+len(levels) != 0 {
		t.Error("nothing is corrected to something")
	}
}

// The interval that is shown leaves 0 out where chance does not explain the difference, and only there, however many metrics are compared.
func TestTheIntervalThatDecidesAgreesWithTheOutcome(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	refused, changed := 0, 0
	for n := 2; n < 60; n += 3 {
		rows, trials := make([]Row, 40), make([]trial, 40)
		for i := range trials {
			a, b := make([]float64, n), make([]float64, n)
			for k := range a {
				a[k], b[k] = math.Round(4*r.NormFloat64())/400, math.Round(4*r.NormFloat64())/400+0.01*float64(i%4)
			}
			trials[i] = trial{as: byNode, paired: i%2 == 0, noise: noise{bounds.Noise{Run: 0.005, Node: 0.01, Part: 0.005}, true},
				a: sample{values: a, nodes: n, parts: 1}, b: sample{values: b, nodes: n, parts: 1}}
			if i%2 == 0 {
				for k := range a {
					a[k] = b[k] - a[k]
				}
			}
		}
		test(rows, trials, false)
		for i := range rows {
			e := rows[i].Estimate
			out := e.DecidingLow >= 0 && e.Percent > 0 || e.DecidingHigh <= 0 && e.Percent < 0
			if significant := e.Corrected <= 1-confidence; significant && !out || !significant && (e.DecidingLow > 0 || e.DecidingHigh < 0) {
				t.Errorf("%s of %d: corrected p = %v, interval %v to %v", e.Test, n, e.Corrected, e.DecidingLow, e.DecidingHigh)
			}
			if e.DecidingLow > e.Percent || e.DecidingHigh < e.Percent || e.DecidingHigh-e.DecidingLow < 0.9*(e.High-e.Low) {
				t.Errorf("%s of %d: %v to %v, of each metric for itself %v to %v, about %v", e.Test, n, e.DecidingLow, e.DecidingHigh, e.Low, e.High, e.Percent)
			}
			if e.Corrected <= 1-confidence {
				changed++
			} else if e.Low > 0 || e.High < 0 {
				refused++ // what read as a contradiction
			}
		}
	}
	if refused == 0 || changed == 0 {
		t.Errorf("%d differ, and %d would by themselves: the test shows nothing", changed, refused)
	}
}

func TestAgainstDeclaredNoise(t *testing.T) {
	s := scatter{claimed: 4, seen: 4, freedom: 3}.against(2*2.1604, 0.05)
	near(t, "p", s.p, 0.05, 1e-4)
	near(t, "the lower end", s.low, 0, 1e-3)
	calm := scatter{claimed: 4, seen: 0, freedom: 3}.against(2*2.1604, 0.05)
	near(t, "p where less was seen than is declared", calm.p, s.p, 1e-9)
	if wild := (scatter{claimed: 4, seen: 40, freedom: 3}).against(2*2.1604, 0.05); wild.p < 0.1 {
		t.Errorf("p = %v where ten times as much was seen as is declared", wild.p)
	}
	if exact := (scatter{}).against(0.1, 0.05); exact.p != 0 {
		t.Errorf("p = %v of a count that differs", exact.p)
	}
}

func TestUnitsOfResampling(t *testing.T) {
	node := func(n int, values ...float64) (out []reading) {
		for _, v := range values {
			out = append(out, reading{[]int{n}, v})
		}
		return out
	}
	few := slices.Concat(node(0, 1, 3), node(1, 5), node(2, 7))
	enough := slices.Concat(few, node(3, 9, 11))
	pairs := []reading{{[]int{0, 1}, 3}, {[]int{0, 2}, 4}, {[]int{0, 3}, 5}, {[]int{1, 2}, 5}, {[]int{1, 3}, 6}, {[]int{2, 3}, 7}}
	apart := []reading{{[]int{0, 1}, 3}, {[]int{2, 3}, 4}, {[]int{4, 5}, 5}, {[]int{6, 7}, 5}}
	for name, c := range map[string]struct {
		readings []reading
		unit     Unit
		values   []float64
	}{
		"three nodes: their parts":           {few, UnitPart, []float64{1, 3, 5, 7}},
		"four nodes: their means":            {enough, UnitNode, []float64{2, 5, 7, 10}},
		"groups with no node in common":      {apart, UnitGroup, []float64{3, 4, 5, 5}},
		"all pairs: the share of every node": {pairs, UnitNode, []float64{2, 4, 6, 8}}, // a pair is the sum of 1, 2, 3 and 4
		"three groups with common nodes":     {pairs[:2], UnitGroup, []float64{3, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			as := finest(c.readings)
			if got := unitOf(as, c.readings); got != c.unit {
				t.Errorf("unit %s, want %s", got, c.unit)
			}
			got := draw(c.readings, as).values
			if len(got) != len(c.values) {
				t.Fatalf("%v, want %v", got, c.values)
			}
			for i := range got {
				near(t, "a value", got[i], c.values[i], 1e-9)
			}
		})
	}
}
