package fleet

import (
	"math"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/stat"
)

// betterHalf gathers how far parts lie from the center of their like, on the better side: what is slow is on the other one, so that faults
// widen nothing.
type betterHalf struct {
	off     []float64
	tails   []float64 // of those, what tells of tails
	all     float64   // half of the number of all parts
	freedom float64
}

// add the like parts of a node, as fractions of their level.
func (h *betterHalf) add(values []float64, better v1alpha1.Direction) {
	n := len(values)
	if n < 2 {
		return
	}
	center, scale := hodgesLehmann(values), 1/math.Sqrt(besideCenter(n))
	for _, v := range values {
		off := bounds.Sign(better) * (v - center) * scale
		if off <= 0 {
			continue
		}
		h.off = append(h.off, off)
		if n >= fewParts {
			h.tails = append(h.tails, off)
		}
	}
	h.all += float64(n) / 2
	h.freedom += float64(n - 1)
}

// spread weighs what was seen against the variance that is claimed.
func (h *betterHalf) spread(claimed float64) bounds.Spread {
	seen := 0.0
	if len(h.off) > 0 {
		far := farOut * stat.MADToSigma * stat.Median(h.off)
		for _, off := range h.off {
			off = min(off, far)
			seen += off * off / h.all / withinFarOut
		}
	}
	return bounds.OfLike(claimed, seen, halfEfficiency*h.freedom, h.tails)
}

// hodgesLehmann is the median of the means of all pairs of values, each with itself included: nearly as sharp as their mean, and hardly
// moved by a few that are far off (Hodges and Lehmann 1963).
func hodgesLehmann(values []float64) float64 {
	if len(values) > manyParts {
		return stat.Median(values)
	}
	means := make([]float64, 0, len(values)*(len(values)+1)/2)
	for i, v := range values {
		for _, w := range values[i:] {
			means = append(means, v/2+w/2)
		}
	}
	return stat.Median(means)
}

// besideCenter is the variance of the distance of one of n normal values from their hodgesLehmann, as a share of its own: exact for 2, and
// found by simulation, within 2%, for more.
func besideCenter(n int) float64 {
	if n == 2 {
		return 0.5
	}
	return 1 - 0.95/float64(n)
}
