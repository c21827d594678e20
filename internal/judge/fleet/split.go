package fleet

import (
	"math"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
)

// split finds where nodes that are in order of their levels fall into two populations, which are farther apart than like nodes
// differ, and than the deviation that is allowed anyway.
func split(nodes []nodeLevel, claimed float64, within bounds.Spread, allowed float64) (at int, two bool) {
	n := len(nodes)
	least := leastOf(n)
	if n < 2*least || claimed == 0 { // counts have one level
		return 0, false
	}
	at = nearer(nodes, bestSplit(nodes, least))
	if at < least || n-at < least {
		return 0, false // a few outliers
	}
	low, high, whole := medianLevel(nodes[:at]), medianLevel(nodes[at:]), math.Abs(medianLevel(nodes))
	if whole == 0 {
		return 0, false
	}
	distances := make([]float64, n)
	parts := 0
	for i := range nodes {
		center := high
		if i < at {
			center = low
		}
		distances[i] = math.Abs(nodes[i].level - center)
		parts += int(nodes[i].parts)
	}
	apart := between(distances, whole, parts/n, claimed, within)
	sigma := math.Sqrt(apart.Variance + within.Variance*bounds.OfMedian(parts/n))
	gap := (high - low) / whole
	return at, gap > max(allowed, populationSigmas*sigma)
}

// divide nodes that fall into two groups at one of them. Groups that are near each other are two populations. Of those that are far
// apart the better one shows what all should reach, however many are worse.
func (l *levels) divide(nodes []nodeLevel, at int, allowed float64, side func([]nodeLevel) side) {
	low, high := side(nodes[:at]), side(nodes[at:])
	worse, better, up := &low, &high, 1.0
	if l.better == v1alpha1.Lower {
		worse, better, up = &high, &low, -1
	}
	if worse.farFrom(better.median) {
		l.sides = l.sides[:0]
		l.sides = append(l.sides, *better)
		return
	}
	l.edge = worse.median + up*math.Abs(worse.median)*max(allowed, populationSigmas*worse.sigma())
	at = len(nodes)
	for at > 0 && l.isWorse(nodes[at-1].level) == (up < 0) {
		at--
	}
	if least := leastOf(len(nodes)); at >= least && len(nodes)-at >= least {
		l.sides = append(l.sides[:0], side(nodes[:at]), side(nodes[at:]))
	}
}

// nearer is the first node that is nearer to the median of those from at on than to that of those before.
func nearer(nodes []nodeLevel, at int) int {
	between := medianLevel(nodes[:at])/2 + medianLevel(nodes[at:])/2
	first, _ := slices.BinarySearchFunc(nodes, between, compareLevel)
	return first
}

// bestSplit is where two medians leave the least sum of distances from them.
func bestSplit(nodes []nodeLevel, least int) int {
	n := len(nodes)
	sums := make([]float64, n+1)
	for i := range nodes {
		sums[i+1] = sums[i] + nodes[i].level
	}
	// Around the median of a sorted stretch, distances add up to its upper half less its lower half.
	cost := func(from, to int) float64 {
		half := (to - from) / 2
		return (sums[to] - sums[to-half]) - (sums[from+half] - sums[from])
	}
	best, at := math.Inf(1), least
	for i := least; i <= n-least; i++ {
		if c := cost(0, i) + cost(i, n); c < best {
			best, at = c, i
		}
	}
	return at
}
