package bounds

import (
	"math"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

const (
	// defaultNoise is that of the API, for what a Benchmark does not say.
	defaultNoise = 0.01
	// What a metric's noise weighs, in measurements: how much parts and nodes differ for good rests on some 20 GPUs in 9 machines, how much a part
	// differs from run to run on many repetitions of each.
	claimOfLike, claimOfRun = 20, 60
)

// MADEfficiency: the median deviation of n values tells as much of their scatter as the mean square of so many times n.
const MADEfficiency = 0.37

// Noise of a metric as its Benchmark claims it: standard deviations, as fractions of the value.
type Noise struct {
	Run, Part, Node float64
}

// NoiseOf a metric.
func NoiseOf(m *v1alpha1.Metric) Noise {
	read := func(f v1alpha1.Fraction) float64 {
		if v, ok := quantity.ParseDecimal(f); ok {
			return v
		}
		return defaultNoise
	}
	return Noise{Run: read(m.Noise.Run), Part: read(m.Noise.Part), Node: read(m.Noise.Node)}
}

// Once is the variance between like parts of a node, of one measurement.
func (n Noise) Once() float64 { return n.Part*n.Part + n.Run*n.Run }

// Averaged is the share of that variance which is left in the mean of so many measurements.
func (n Noise) Averaged(attempts float64) float64 {
	if n.Once() == 0 {
		return 1
	}
	return (n.Part*n.Part + n.Run*n.Run/attempts) / n.Once()
}

// OfMedian is the variance of the median of n normal values, as a share of that of one: exact for 1, and 3 to 6% too much for others but 2.
func OfMedian(n int) float64 { return 5 / (3*float64(n) + 2) }

// Spread is a variance, and how sure it is.
type Spread struct {
	Variance float64
	// Freedom is the degrees of freedom of the estimate.
	Freedom float64
	// Heavy is the probability that what varies so has heavy tails.
	Heavy float64
	tails float64 // evidence of them
}

// OfRun is how much a part varies from run to run, by what is claimed of it and what was seen.
func OfRun(claimed, seen, freedom float64) Spread { return shrink(claimed, claimOfRun, seen, freedom) }

// OfLike is how much like parts, or like nodes, differ for good, by what is claimed of it and what was seen, whose deviations tell of its tails.
func OfLike(claimed, seen, freedom float64, deviations []float64) Spread {
	s := shrink(claimed, claimOfLike, seen, freedom)
	s.tails = evidence(deviations, math.Sqrt(s.Variance))
	s.Heavy = posterior(heavyClaim, s.tails)
	return s
}

// shrink weighs what was seen of a variance, with so many degrees of freedom, against what is claimed of it. Few values say little of their
// scatter, many teach it. A claim of 0, as of a count, stands.
func shrink(claimed, claimWeight, seen, freedom float64) Spread {
	if claimed == 0 {
		seen = 0
	}
	seenWeight := max(0, freedom)
	weight := claimWeight + seenWeight
	if seen > claimed && claimed > 0 { // by their logarithms: a few parts at half speed among few are faults, and make no noise a hundredfold
		return Spread{Variance: claimed * math.Pow(seen/claimed, seenWeight/weight), Freedom: weight}
	}
	return Spread{Variance: (claimWeight*claimed + seenWeight*seen) / weight, Freedom: weight}
}

// MostNoise caps what noise may excuse, as a share of what a value is compared with: a part at less than half of it is not explained by
// noise, and without a cap one disturbed machine among few would hide a really slow one.
const MostNoise = 0.5

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
