package verdict

import "math"

// Evidence is what the bounds that follow from noise are drawn for: one attempt that may ask for another one, or the mean of several
// attempts, which may convict. Fixed bounds know no noise and are the same in both.
type Evidence int

// Suspicion judges one attempt by narrow bounds: beyond them a part is worth being measured again, and no more.
const Suspicion Evidence = 0

// MeanOf judges the mean of so many attempts by bounds that healthy hardware does not break.
func MeanOf(attempts int) Evidence { return Evidence(max(1, attempts)) }

const (
	// suspicious is the share of healthy nodes whose first measurement of a metric is suspect.
	suspicious = 5e-2
	// convincing is the share of healthy nodes that a metric may convict where the noise that its Benchmark claims is known no better than
	// claimWeight says; where the claim is right, a quarter of it are convicted.
	convincing = 6e-4
)

// attempts whose mean is judged.
func (e Evidence) attempts() float64 { return float64(max(1, e)) }

// sigmas is how many standard deviations, which are known with so many degrees of freedom, a healthy part may be off in one of so many
// comparisons of a metric on a node.
func (e Evidence) sigmas(comparisons, freedom float64) float64 {
	share := convincing
	if e == Suspicion {
		share = suspicious
	}
	return tail(share/max(1, comparisons), freedom)
}

// tail is the value that Student's t exceeds with probability p, by the expansion of Cornish and Fisher (Abramowitz and Stegun, 26.7.5).
// Its error is below 0.1 % from 30 degrees of freedom and p = 1e-8 on; we have at least claimWeight.
func tail(p, freedom float64) float64 {
	z := math.Sqrt2 * math.Erfcinv(2*p)
	z3, z5, z7 := z*z*z, math.Pow(z, 5), math.Pow(z, 7)
	return z + (z3+z)/(4*freedom) + (5*z5+16*z3+3*z)/(96*math.Pow(freedom, 2)) + (3*z7+19*z5+17*z3-15*z)/(384*math.Pow(freedom, 3))
}
