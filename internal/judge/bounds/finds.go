package bounds

import "math"

// Difference is how far a healthy value may be from what it is compared with: variances, as fractions squared.
type Difference struct {
	// Lasting is the same in every measurement; Run comes anew with each.
	Lasting, Run float64
}

// sigma of the mean of so many measurements.
func (d Difference) sigma(measurements int) float64 {
	return math.Sqrt(d.Lasting + d.Run/float64(max(1, measurements)))
}

// missed is how often, at most, the least loss is missed that counts as found.
const missed = 0.01

// Least loss, as a fraction, that is found in at least 99 of 100 cases: each of so many measurements has to be beyond near, and their mean beyond
// far. How often one of these is missed adds up to no less than how often any is, whatever they have in common (Boole's inequality).
func (d Difference) Least(near, far float64, measurements int) float64 {
	once, mean := d.sigma(1), d.sigma(measurements)
	low := max(near, far)
	high := low + 5*once // where even near is missed less often than in one of a million
	for range 30 {
		middle := low/2 + high/2
		if float64(measurements)*normalTail((middle-near)/once)+normalTail((middle-far)/mean) > missed {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// normalTail is how often a standard normal variable exceeds z; a value without noise (z is no number where it is at its bound) exceeds nothing.
func normalTail(z float64) float64 {
	if math.IsNaN(z) {
		return 0
	}
	return math.Erfc(z/math.Sqrt2) / 2
}
