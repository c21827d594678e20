package blame

import (
	"math"
	"slices"
)

const (
	// biweightCut gives Tukey's biweight 95 % efficiency at the normal distribution.
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

// critical is how many standard errors chance exceeds with probability p only, with the standard deviation known from so
// many degrees of freedom: Student's t, by its finite series (Abramowitz and Stegun 26.7.3 and 26.7.4), or, of many, by the
// first terms of 26.7.5.
func critical(p, freedom float64) float64 {
	if freedom > 50 {
		z := -normalQuantile(p)
		z2 := z * z
		return z + z*(z2+1)/4/freedom + z*((5*z2+16)*z2+3)/96/(freedom*freedom)
	}
	if freedom < 1 {
		return math.Inf(1)
	}
	low, high := 0.0, 1.0
	for studentTail(high, int(freedom)) > p {
		low, high = high, 2*high
	}
	for range 50 {
		if middle := (low + high) / 2; studentTail(middle, int(freedom)) > p {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// studentTail is the chance of more than t with so many degrees of freedom, 1 or more.
func studentTail(t float64, freedom int) float64 {
	angle := math.Atan(t / math.Sqrt(float64(freedom)))
	sin, cos := math.Sincos(angle)
	sum, term := 0.0, 1.0
	if freedom%2 == 1 {
		term = cos
	}
	for k := freedom % 2; k <= freedom-2; k += 2 {
		sum += term
		term *= cos * cos * float64(k+1) / float64(k+2)
	}
	if freedom%2 == 1 {
		return 0.5 - (angle+sin*sum)/math.Pi
	}
	return (1 - sin*sum) / 2
}
