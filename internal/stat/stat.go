// Package stat is the statistics that several packages need: medians, quantiles, means, and Student's t. It knows numbers only.
package stat

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/mathx"
)

// MADToSigma times the median absolute deviation is the standard deviation of normal values: 1/Φ⁻¹(3/4).
const MADToSigma = 1.4826

// Median of some values; of an even number of them, the mean of the middle two; of none, 0. It leaves values as they are.
func Median(values []float64) float64 { return SortedMedian(slices.Sorted(slices.Values(values))) }

// SortedMedian is the median of values that are in order.
func SortedMedian(sorted []float64) float64 {
	return MedianOf(len(sorted), func(i int) float64 { return sorted[i] })
}

// MedianOf is the median of n values that at gives in order.
func MedianOf(n int, at func(int) float64) float64 {
	switch {
	case n == 0:
		return 0
	case n%2 == 1:
		return at(n / 2)
	}
	return at(n/2-1)/2 + at(n/2)/2
}

// Quantile of values in order, of which there is at least one, interpolated between the two nearest (R's type 7). q is 0 to 1.
func Quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	below := int(at)
	if below+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	share := at - float64(below)
	return sorted[below]*(1-share) + sorted[below+1]*share
}

// Mean of values, of which there is at least one.
func Mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// NormalCritical is the value that a standard normal variable exceeds with probability p, 0 to 1.
func NormalCritical(p float64) float64 { return math.Sqrt2 * math.Erfcinv(2*p) }

// StudentTail is the probability that Student's t with so many degrees of freedom, more than 0, exceeds t, 0 or more: half the
// regularised incomplete beta function I(ν/(ν+t²); ν/2, 1/2) (Abramowitz and Stegun, 26.7.1).
func StudentTail(t, freedom float64) float64 {
	if math.IsInf(freedom, 1) || freedom > manyDegrees {
		return math.Erfc(normalOf(t, freedom)/math.Sqrt2) / 2
	}
	return mathx.BetaInc(freedom/(freedom+t*t), freedom/2, 0.5) / 2
}

// manyDegrees of freedom make t so nearly normal that the first terms of expansions are exact to 1e-7; the beta function's continued
// fraction takes more terms the more there are.
const manyDegrees = 20_000

// normalOf t with many degrees of freedom: the normal variable that is exceeded as often (Wallace 1959, with Gaver's correction).
func normalOf(t, freedom float64) float64 {
	if math.IsInf(freedom, 1) {
		return t
	}
	return (8*freedom + 1) / (8*freedom + 3) * math.Sqrt(freedom*math.Log1p(t*t/freedom))
}

// StudentCritical is the value that Student's t exceeds with probability p, more than 0; from a half on, 0. It is infinite where there
// is no degree of freedom: nothing is beyond chance then. The error is below 1e-9 of it down to p = 1e-9.
func StudentCritical(p, freedom float64) float64 {
	switch {
	case freedom <= 0:
		return math.Inf(1)
	case p >= 0.5:
		return 0
	}
	t := expansion(NormalCritical(p), freedom)
	if freedom > manyDegrees {
		return t
	}
	low, high := 0.0, math.Inf(1)
	for range 100 { // Newton's method on the logarithm of the tail, which is nearly straight; halving where that leaves the bracket
		tail := StudentTail(t, freedom)
		if tail > p {
			low = t
		} else {
			high = t
		}
		next := t + tail*math.Log(tail/p)/studentDensity(t, freedom)
		if !(next > low && next < high) {
			next = 2 * t
			if !math.IsInf(high, 1) {
				next = (low + high) / 2
			}
		}
		if math.Abs(next-t) <= 1e-12*t {
			return next
		}
		t = next
	}
	return t
}

// expansion of Cornish and Fisher (Abramowitz and Stegun, 26.7.5): the value of t that is exceeded as often as z by a normal variable.
func expansion(z, freedom float64) float64 {
	z3, z5, z7 := z*z*z, math.Pow(z, 5), math.Pow(z, 7)
	return z + (z3+z)/(4*freedom) + (5*z5+16*z3+3*z)/(96*math.Pow(freedom, 2)) + (3*z7+19*z5+17*z3-15*z)/(384*math.Pow(freedom, 3))
}

func studentDensity(t, freedom float64) float64 {
	above, _ := math.Lgamma((freedom + 1) / 2)
	below, _ := math.Lgamma(freedom / 2)
	return math.Exp(above-below-(freedom+1)/2*math.Log1p(t*t/freedom)) / math.Sqrt(freedom*math.Pi)
}
