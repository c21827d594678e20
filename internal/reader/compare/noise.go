package compare

import (
	"math"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/stat"
)

const (
	// confidence of the intervals, and 1 - the share of comparisons without any difference that find one.
	confidence = 0.95
	// claimWeight is how many measurements' worth of evidence the noise is that a Benchmark claims.
	claimWeight = 10
	// rounding of logarithms, and of their means: what is less is no difference.
	rounding = 1e-9
)

// noise of a metric as its Benchmark claims it.
type noise struct {
	bounds.Noise
	// claimed says whether a Benchmark lists the metric. Otherwise the API's default is all there is, and proves nothing.
	claimed bool
}

// noiseBetween two sides is the greater one of what their Benchmarks claim.
func noiseBetween(name string, a, b *benchmark) noise {
	n := noise{Noise: bounds.NoiseOf(&v1alpha1.Metric{})}
	for _, side := range []*benchmark{a, b} {
		metric, listed := side.metrics[name]
		switch m := bounds.NoiseOf(&metric); {
		case listed && n.claimed:
			n.Noise = bounds.Noise{Run: max(n.Run, m.Run), Part: max(n.Part, m.Part), Node: max(n.Node, m.Node)}
		case listed:
			n = noise{m, true}
		}
	}
	return n
}

// scatter is the variance of a difference: what is claimed of it, and what was seen with so many degrees of freedom. known is added to both:
// what the values cannot show.
type scatter struct {
	claimed, seen, freedom, known float64
	// unclaimed noise is what was seen, as that is all that is known.
	unclaimed bool
}

// against tests a difference by Student's t. It has no less variance than is claimed, and more where more was seen: few values say little
// of their scatter. The more they contradict a claim, the less that weighs. The interval is that of a level.
func (s scatter) against(difference, level float64) shift {
	weight := float64(claimWeight)
	if s.unclaimed {
		weight, s.claimed = 0, 0
	} else if s.seen > s.claimed {
		weight *= math.Pow(s.claimed/s.seen, 2)
	}
	freedom := weight + s.freedom
	variance := (weight*s.claimed + s.freedom*s.seen) / freedom
	variance = max(variance, s.claimed) + s.known
	if variance == 0 { // a count, of which no noise is claimed and none was seen
		out := shift{estimate: difference, low: difference, high: difference, p: 1}
		if math.Abs(difference) > rounding {
			out.p = 0
		}
		return out
	}
	sigma := math.Sqrt(variance)
	margin := stat.StudentCritical(level/2, freedom) * sigma
	return shift{estimate: difference, low: difference - margin, high: difference + margin, p: 2 * stat.StudentTail(math.Abs(difference)/sigma, freedom)}
}

// meanAndVariance of values; the variance of fewer than two is 0.
func meanAndVariance(values []float64) (mean, variance float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += (v - values[0]) / n // about the first one: that of equal values is exactly what they are
	}
	mean += values[0]
	for _, v := range values {
		variance += (v - mean) * (v - mean) / max(1, n-1)
	}
	return mean, variance
}
