package compare

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
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
	near(t, "p", signedRank(maize).p, 0.04126, 5e-6)
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
		for name, s := range map[string]shift{"signed-rank": signedRank(a), "Mann-Whitney": mannWhitney(a, b)} {
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
	near(t, "the median of the means", signedRank(a).estimate, middle(walsh), 1e-9)
	near(t, "the median of the differences", mannWhitney(a, b).estimate, middle(differences), 1e-9)
}

func TestEqualValuesAreNoDifference(t *testing.T) {
	same := []float64{1, 1, 1, 1, 1, 1, 1, 1}
	for name, s := range map[string]shift{"no differences": signedRank(make([]float64, 8)), "the same values": mannWhitney(same, same)} {
		if s.p != 1 || s.estimate != 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

func TestHolm(t *testing.T) {
	got := holm([]float64{0.01, 0.04, 0.03, 0.005, 0.9})
	for i, want := range []float64{0.04, 0.09, 0.09, 0.025, 0.9} {
		near(t, "corrected p", got[i], want, 1e-12)
	}
	if len(holm(nil)) != 0 {
		t.Error("something of nothing")
	}
}

// Student's t with 13 degrees of freedom exceeds 2.160 on either side once in 20 times.
func TestAgainstDeclaredNoise(t *testing.T) {
	s := scatter{claimed: 4, seen: 4, freedom: 3}.against(2 * 2.1604)
	near(t, "p", s.p, 0.05, 1e-4)
	near(t, "the lower end", s.low, 0, 1e-3)
	calm := scatter{claimed: 4, seen: 0, freedom: 3}.against(2 * 2.1604)
	near(t, "p where less was seen than is declared", calm.p, s.p, 1e-9)
	if wild := (scatter{claimed: 4, seen: 40, freedom: 3}).against(2 * 2.1604); wild.p < 0.1 {
		t.Errorf("p = %v where ten times as much was seen as is declared", wild.p)
	}
	if exact := (scatter{}).against(0.1); exact.p != 0 {
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
