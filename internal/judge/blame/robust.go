package blame

import (
	"slices"

	"github.com/assay-dev/assay/internal/stat"
)

const (
	// biweightCut gives Tukey's biweight 95% efficiency at the normal distribution.
	biweightCut = 4.685
)

// upperMedianOf takes the better of the two middle values: faults only lower a value. It sorts values in place.
func upperMedianOf(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// betterHalf is the mean of the better half of values, less what normal noise of this size alone would add to it (Blom's
// scores of the order statistics). It sorts values in place.
func betterHalf(values []float64, sigma float64) float64 {
	n := len(values)
	if n == 0 {
		return 0
	}
	slices.Sort(values)
	half := max(1, n/2)
	sum := 0.0
	for i := n - half; i < n; i++ {
		sum += values[i] - sigma*stat.NormalCritical(1-(float64(i+1)-0.375)/(float64(n)+0.25))
	}
	return sum / float64(half)
}

// biweight is the weight of a value at a distance of so many standard deviations.
func biweight(distance float64) float64 {
	u := distance / biweightCut
	if u <= -1 || u >= 1 {
		return 0
	}
	return (1 - u*u) * (1 - u*u)
}
