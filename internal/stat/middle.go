package stat

import "slices"

// Middle is the Median of values in no order, and puts them into another: it takes time in proportion to their number.
func Middle(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return 0
	}
	k := n / 2
	partition(values, k)
	if n%2 == 1 {
		return values[k]
	}
	return slices.Max(values[:k])/2 + values[k]/2
}

// partition puts the value of rank k at k, no greater one before it and no smaller one after it (Hoare's selection).
func partition(values []float64, k int) {
	low, high := 0, len(values)-1
	for low < high {
		pivot := values[low+(high-low)/2]
		i, j := low, high
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			high = j
		case k >= i:
			low = i
		default:
			return
		}
	}
}
