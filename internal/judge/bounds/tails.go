package bounds

import (
	"math"
	"slices"

	"github.com/assay-dev/assay/internal/stat"
)

// Healthy hardware need not vary normally, and a fleet that is too small to show its tails does not prove them light. So what is too far is
// drawn from a mixture: with some probability, deviations are those of Student's t with heavyFreedom degrees of freedom.
const (
	// heavyClaim is the probability of heavy tails before anything is seen.
	heavyClaim = 0.01
	// In few fleets they are common, heavyThere; in the others they are rare.
	heavyFleets, heavyThere = 0.001, 0.9
	heavyElsewhere          = (heavyClaim - heavyFleets*heavyThere) / (1 - heavyFleets)
	// heavyFreedom of heavy tails: with fewer, no fleet could convict.
	heavyFreedom = 5
	// heavyScale is how much wider t with heavyFreedom is in its middle than a normal variable: the ratio of their quartiles.
	heavyScale = 0.7267 / 0.6745
	// oddOne is how far out, in standard deviations, one value may speak for heavy tails: a single one that is odd makes none.
	oddOne = 4
)

// heavyCentre is the logarithm of the density of heavy tails in the middle, as a share of the normal one.
var heavyCentre = math.Log(heavyScale * 0.3796067 / 0.3989423)

// evidence of heavy tails: the logarithm of how much likelier deviations, without sign, are by them than by a normal distribution.
func evidence(deviations []float64, sigma float64) (sum float64) {
	if sigma == 0 {
		return 0
	}
	for _, d := range deviations {
		z := min(d/sigma, oddOne)
		t := z * heavyScale
		sum += heavyCentre - (heavyFreedom+1)/2.0*math.Log1p(t*t/heavyFreedom) + z*z/2
	}
	return sum
}

// posterior of a probability by Bayes' rule.
func posterior(prior, evidence float64) float64 {
	const certain = 50 // more is beyond floating point
	odds := math.Log(prior/(1-prior)) + evidence
	return 1 / (1 + math.Exp(-max(-certain, min(certain, odds))))
}

// Together learns the tails of all that varies in one fleet: where some of it has heavy tails, the rest is likelier to.
func Together(all []*Spread) {
	speaks := func(s *Spread) float64 { return mixed(heavyThere, s.tails) - mixed(heavyElsewhere, s.tails) }
	terms := make([]float64, len(all))
	for i, s := range all {
		terms[i] = speaks(s)
	}
	slices.Sort(terms) // so that the sum is the same in any order
	common := 0.0
	for _, term := range terms {
		common += term
	}
	for _, s := range all {
		others := posterior(heavyFleets, common-speaks(s))
		s.Heavy = posterior(others*heavyThere+(1-others)*heavyElsewhere, s.tails)
	}
}

// mixed is the logarithm of the likelihood where tails are heavy with a probability.
func mixed(share, evidence float64) float64 {
	return max(0, evidence) + math.Log(share*math.Exp(min(0, evidence))+(1-share)*math.Exp(-max(0, evidence)))
}

// Critical is how many standard deviations of the spread are exceeded with a probability.
func (s Spread) Critical(p float64) float64 {
	z := stat.StudentCritical(p, s.Freedom)
	if s.Heavy == 0 || z == 0 || math.IsInf(z, 1) {
		return z
	}
	beyond := func(z float64) float64 {
		return math.Log(((1-s.Heavy)*stat.StudentTail(z, s.Freedom) + s.Heavy*stat.StudentTail(z*heavyScale, heavyFreedom)) / p)
	}
	// The secant method: the logarithm of a tail is nearly straight.
	z = max(z, stat.StudentCritical(min(0.5, p/s.Heavy), heavyFreedom)/heavyScale)
	last, before := z, beyond(z)
	z *= 1.02
	for range 50 {
		now := beyond(z)
		if now == before {
			break
		}
		next := z - now*(z-last)/(now-before)
		last, before = z, now
		if z = next; math.Abs(z-last) <= 1e-9*z {
			break
		}
	}
	return z
}

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
