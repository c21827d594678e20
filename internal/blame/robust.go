package blame

import (
	"math"
	"slices"
)

const (
	// madToSigma makes the MAD of normal noise an estimate of its standard deviation.
	madToSigma = 1.4826
	// biweightCut gives Tukey's biweight 95 % efficiency at the normal distribution.
	biweightCut = 4.685
)

// medianOf sorts values in place. The median of nothing is 0.
func medianOf(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	switch {
	case n == 0:
		return 0
	case n%2 == 1:
		return values[n/2]
	}
	return values[n/2-1]/2 + values[n/2]/2
}

// upperMedianOf takes the better of the two middle values: faults only lower a value. It sorts values in place.
func upperMedianOf(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// spreadOf is the scaled MAD. It changes values.
func spreadOf(values []float64) float64 {
	center := medianOf(values)
	for i, v := range values {
		values[i] = math.Abs(v - center)
	}
	return madToSigma * medianOf(values)
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
		sum += values[i] - sigma*normalQuantile((float64(i+1)-0.375)/(float64(n)+0.25))
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

// normalQuantile is the inverse of the standard normal distribution.
func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// tail is the chance of a standard normal value beyond z.
func tail(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }

// critical is how many standard errors chance exceeds with probability p only, with the standard deviation known from so
// many degrees of freedom: the first terms of Abramowitz and Stegun 26.7.5.
func critical(p, freedom float64) float64 {
	z := -normalQuantile(p)
	z3 := z * z * z
	return z + (z3+z)/(4*freedom) + (5*z3*z*z+16*z3+3*z)/(96*freedom*freedom)
}
