package compare

import (
	"math"

	"github.com/aclements/go-moremath/stats"
)

// signedRankBelow is the probability of a sum of ranks of at most k, without ties.
func signedRankBelow(n, k int) float64 {
	if n > exactSignedRank {
		mean, variance := float64(n*(n+1))/4, float64(n*(n+1)*(2*n+1))/24
		return stats.StdNormal.CDF((float64(k) + 0.5 - mean) / math.Sqrt(variance))
	}
	ranks := make([]int, n)
	for i := range ranks {
		ranks[i] = i + 1
	}
	sum := 0.0
	for _, p := range sumsOfRanks(ranks)[:k+1] {
		sum += p
	}
	return sum
}

// walshBelow counts the means of two of the sorted values, or of one with itself, of at most x.
func walshBelow(sorted []float64, x float64) int {
	count, j := 0, len(sorted)-1
	for i := range sorted {
		for j >= 0 && sorted[i]/2+sorted[j]/2 > x {
			j--
		}
		if j < i {
			break
		}
		count += j - i + 1
	}
	return count
}

// uBelow is the probability that U is at most k, without ties.
func uBelow(n, m, k int) float64 {
	if n <= exactU && m <= exactU {
		return stats.UDist{N1: n, N2: m}.CDF(float64(k))
	}
	mean, variance := float64(n*m)/2, float64(n)*float64(m)*float64(n+m+1)/12
	return stats.StdNormal.CDF((float64(k) + 0.5 - mean) / math.Sqrt(variance))
}

// differencesBelow counts the differences b-a of at most x, of sorted values.
func differencesBelow(a, b []float64, x float64) int {
	count, j := 0, 0
	for i := range a {
		for j < len(b) && b[j]-a[i] <= x {
			j++
		}
		count += j
	}
	return count
}

// criticalRank is the rank, among so many estimates of a shift, at which the interval begins: the greatest that leaves no more than half
// of a level below it.
func criticalRank(pairs int, level float64, below func(int) float64) int {
	low, high := 1, max(1, pairs/2)
	for low < high {
		if c := (low + high + 1) / 2; below(c-1) <= level/2 {
			low = c
		} else {
			high = c - 1
		}
	}
	return low
}

// kth smallest of values that are too many to be listed: count says how many are at most x.
func kth(k int, low, high float64, count func(float64) int) float64 {
	if count(low) >= k {
		return low
	}
	for range 60 {
		if x := low/2 + high/2; count(x) >= k {
			high = x
		} else {
			low = x
		}
	}
	return high
}

// leastSignedRankP and leastMannWhitneyP are the least p-values that so many units can show, however much they differ.
func leastSignedRankP(n int) float64 { return math.Exp2(float64(1 - n)) }

func leastMannWhitneyP(n, m int) float64 {
	p := 2.0
	for i := 1; i <= min(n, m); i++ {
		p *= float64(i) / float64(max(n, m)+i)
	}
	return p
}
