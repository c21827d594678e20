package quantity

import "slices"

// Median of some values; of an even number of them, the mean of the middle two; of none, 0. It leaves values as they are.
func Median(values []float64) float64 { return SortedMedian(slices.Sorted(slices.Values(values))) }

// SortedMedian is the median of values that are in order.
func SortedMedian(sorted []float64) float64 {
	n := len(sorted)
	switch {
	case n == 0:
		return 0
	case n%2 == 1:
		return sorted[n/2]
	}
	return sorted[n/2-1]/2 + sorted[n/2]/2
}
