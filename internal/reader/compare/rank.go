package compare

import (
	"cmp"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"github.com/assay-dev/assay/internal/stat"
)

// exactSignedRank is up to how many differences their distribution is computed; beyond it the normal one is as good.
const exactSignedRank = 50

// exactU is up to how many values a side the distribution of U is computed.
const exactU = 25

// shift is by how much one set of values lies above another one, or above 0.
type shift struct {
	estimate, low, high float64
	p                   float64
}

// signedRank tests whether differences lie about 0, by the signs that they might have had as well, and estimates where they lie: the
// median of the means of all pairs (Hodges and Lehmann), and the interval of all places that the test does not refuse at a level.
func signedRank(differences []float64, level float64) shift {
	d := slices.Sorted(slices.Values(differences))
	n := len(d)
	pairs := n * (n + 1) / 2
	c := criticalRank(pairs, level, func(k int) float64 { return signedRankBelow(n, k) })
	at := func(i int) float64 { return kth(i+1, d[0], d[n-1], func(x float64) int { return walshBelow(d, x) }) }
	return shift{estimate: stat.MedianOf(pairs, at), low: at(c - 1), high: at(pairs - c), p: signedRankP(d)}
}

// signedRankP is the two-sided p-value: the share of all signs whose sum of ranks is as far from its mean. Differences of 0 have no sign.
func signedRankP(d []float64) float64 {
	ranks, signs := absoluteRanks(d)
	sum, mean, variance := 0, 0.0, 0.0 // in half ranks
	for i, r := range ranks {
		if signs[i] {
			sum += r
		}
		mean += float64(r) / 2
		variance += float64(r) * float64(r) / 4
	}
	distance := math.Abs(float64(sum) - mean)
	switch {
	case len(ranks) == 0:
		return 1
	case len(ranks) > exactSignedRank:
		return math.Erfc(max(0, distance-1) / math.Sqrt(2*variance))
	}
	share := 0.0
	for s, p := range sumsOfRanks(ranks) {
		if math.Abs(float64(s)-mean) >= distance {
			share += p
		}
	}
	return min(1, share)
}

// absoluteRanks of the differences other than 0, doubled so that those of equal ones are whole, and which are positive.
func absoluteRanks(d []float64) (ranks []int, positive []bool) {
	d = slices.DeleteFunc(slices.Clone(d), func(v float64) bool { return v == 0 })
	slices.SortFunc(d, func(a, b float64) int {
		return cmp.Compare(math.Abs(a), math.Abs(b))
	})
	for i := 0; i < len(d); {
		j := i
		for j < len(d) && math.Abs(d[j]) == math.Abs(d[i]) {
			j++
		}
		for range j - i {
			ranks = append(ranks, i+1+j)
		}
		i = j
	}
	for _, v := range d {
		positive = append(positive, v > 0)
	}
	return ranks, positive
}

// sumsOfRanks is the probability of each sum of those ranks that get a positive sign, each with probability 1/2.
func sumsOfRanks(ranks []int) []float64 {
	p := []float64{1}
	for _, r := range ranks {
		next := make([]float64, len(p)+r)
		for s, v := range p {
			next[s] += v / 2
			next[s+r] += v / 2
		}
		p = next
	}
	return p
}

// mannWhitney tests whether b lies about where a does, and estimates by how much it lies above: the median of all differences.
func mannWhitney(a, b []float64, level float64) shift {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	pairs := len(a) * len(b)
	c := criticalRank(pairs, level, func(k int) float64 { return uBelow(len(a), len(b), k) })
	low, high := b[0]-a[len(a)-1], b[len(b)-1]-a[0]
	at := func(i int) float64 {
		return kth(i+1, low, high, func(x float64) int { return differencesBelow(a, b, x) })
	}
	test := benchmath.AssumeNothing.Compare(benchmath.NewSample(a, &benchmath.DefaultThresholds), benchmath.NewSample(b, &benchmath.DefaultThresholds))
	return shift{estimate: stat.MedianOf(pairs, at), low: at(c - 1), high: at(pairs - c), p: test.P}
}
