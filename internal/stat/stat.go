// Package stat is the statistics that several packages need: medians, quantiles, means, and Student's t. It knows numbers only.
package stat

import "slices"

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
