package bounds

// Certainty is what the bounds that follow from noise are drawn for: one attempt that may ask for another one, or the mean of several
// attempts, which may convict. Fixed bounds know no noise and are the same in both.
type Certainty int

// Suspicion judges one attempt by narrow bounds: beyond them a part is worth being measured again, and no more.
const Suspicion Certainty = 0

// MeanOf judges the mean of so many attempts by bounds that healthy hardware does not break.
func MeanOf(attempts int) Certainty { return Certainty(max(1, attempts)) }

const (
	// suspicious is the share of healthy nodes whose first measurement of a metric is suspect.
	suspicious = 5e-2
	// convincing is the share of healthy nodes that a metric may convict where the noise that its Benchmark claims is known no better than
	// its weight says; where the claim is right, a quarter of it are convicted.
	convincing = 6e-4
)

// Attempts whose mean is judged.
func (e Certainty) Attempts() float64 { return float64(max(1, e)) }

// Sigmas is how many standard deviations of a spread a healthy part may be off in one of so many comparisons of a metric on a node.
func (e Certainty) Sigmas(comparisons float64, of Spread) float64 {
	share := convincing
	if e == Suspicion {
		share = suspicious
	}
	return of.Critical(share / max(1, comparisons))
}
