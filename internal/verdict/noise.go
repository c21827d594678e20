package verdict

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

const (
	// defaultNoise is that of the API, for what a Benchmark does not say.
	defaultNoise = 0.01
	// claimWeight is how many measurements' worth of evidence a metric's noise is: what few parts show of their scatter says little beside it.
	claimWeight = 60
	// madEfficiency: the median deviation of n values tells as much of their scatter as the mean square of so many times n.
	madEfficiency = 0.37
)

// noise of a metric as its Benchmark claims it: standard deviations, as fractions of the value.
type noise struct {
	run, part, node float64
}

func noiseOf(m *v1alpha1.Metric) noise {
	read := func(f v1alpha1.Fraction) float64 {
		if v, ok := quantity.ParseDecimal(f); ok {
			return v
		}
		return defaultNoise
	}
	return noise{run: read(m.Noise.Run), part: read(m.Noise.Part), node: read(m.Noise.Node)}
}

// spread is a variance, and how sure it is.
type spread struct {
	variance float64
	// freedom is the degrees of freedom of the estimate.
	freedom float64
}

// shrink weighs what was seen of a variance, robustly and with so many degrees of freedom, against what is claimed of it. Few values say
// little of their scatter, many learn it.
func shrink(claimed, seen, freedom float64) spread {
	seenWeight := madEfficiency * max(0, freedom)
	weight := claimWeight + seenWeight
	return spread{variance: (claimWeight*claimed + seenWeight*seen) / weight, freedom: weight}
}
