package fleet

import (
	"cmp"
	"math"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/expect"
	"github.com/assay-dev/assay/internal/list"
)

const (
	// leastPopulation: fewer nodes, or a smaller share of them, are no kind of their own, but outliers.
	leastPopulation, leastShare = 4, 0.25
	// populationSigmas is how many standard deviations of its nodes two populations are apart. Where one population is cut at its middle,
	// the halves are less than 3 of theirs apart, whether it is normal or uniform.
	populationSigmas = 4
)

// Population is a metric by which like nodes reach one of two levels. Each is judged against those of its own level.
type Population struct {
	Metric, Unit string
	// Kind of the parts.
	Kind string
	// Worse and Better level, and the nodes that reach it, by name; those that are remembered, too.
	Worse, Better           float64
	WorseNodes, BetterNodes []string
}

// Populations are the metrics that found two kinds of nodes under one name, by metric and kind of part; none while there is no fleet.
func (f *Fleet) Populations() []Population {
	if f == nil {
		return nil
	}
	var all []Population
	for p, l := range f.pools {
		if len(l.sides) != 2 {
			continue
		}
		key, worse, better := p.Value(), &l.sides[0], &l.sides[1]
		if l.better == v1alpha1.Lower {
			worse, better = better, worse
		}
		all = append(all, Population{Metric: key.Metric, Unit: key.Unit, Kind: key.Likeness, Worse: worse.median, Better: better.median,
			WorseNodes: worse.names(), BetterNodes: better.names()})
	}
	slices.SortFunc(all, func(a, b Population) int {
		return cmp.Or(cmp.Compare(a.Metric, b.Metric), cmp.Compare(a.Kind, b.Kind), slices.Compare(a.WorseNodes, b.WorseNodes))
	})
	return all
}

func (s *side) names() []string {
	return slices.Sorted(slices.Values(list.Map(s.nodes, func(n nodeLevel) string { return n.of.Node })))
}

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

// excuse what is like the worse of two populations, where it takes remembered nodes to tell them. Nobody is convicted by half of those: no
// breaker sees that most nodes fail beside it, and it may be the word of a few kubelets. All others are judged by all, whose median a
// minority cannot move past the rest.
func (l *levels) excuse(at int, allowed float64, side func([]nodeLevel) side) {
	whole := l.sides[0]
	l.divide(l.nodes, at, allowed, side)
	if len(l.sides) == 2 {
		l.whole = &whole
		return
	}
	l.sides = append(l.sides[:0], whole)
}

// isWorse: the level is one of the worse population. One that is better than all of that is slow among the better ones.
func (l *levels) isWorse(level float64) bool {
	return bounds.Sign(l.better)*level <= bounds.Sign(l.better)*l.edge
}

// sideOf is the population that a level belongs to.
func (l *levels) sideOf(level float64) *side {
	if l.whole != nil && !l.isWorse(level) {
		return l.whole
	}
	if len(l.sides) == 2 && l.isWorse(level) == (l.better == v1alpha1.Lower) {
		return &l.sides[1]
	}
	return &l.sides[0]
}

// sigma is how much the levels of its nodes vary, as a fraction.
func (s *side) sigma() float64 {
	return math.Sqrt(s.between.Variance + s.within.Variance*bounds.OfMedian(s.perNode()))
}

// leastOf n nodes are a kind of their own.
func leastOf(n int) int { return max(leastPopulation, int(math.Ceil(leastShare*float64(n)))) }

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

// close learns how much the nodes and their parts vary, once all are there.
func (l *levels) close(m *v1alpha1.Metric) {
	claimed := bounds.NoiseOf(m)
	l.better = bounds.Better(m)
	l.settleShift(claimed.Run)
	within := l.learn(claimed)
	l.nodes = slices.Clone(l.nodes) // without room to spare
	slices.SortFunc(l.nodes, func(a, b nodeLevel) int { return cmp.Compare(a.level, b.level) })
	l.sides = []side{newSide(l.nodes, claimed, &within)}
	allowed, asked := expect.MaxDeviation(m)
	if !asked {
		return
	}
	sideOf := func(nodes []nodeLevel) side { return newSide(nodes, claimed, &within) }
	own := slices.DeleteFunc(slices.Clone(l.nodes), func(n nodeLevel) bool { return !n.of.Time.IsZero() })
	if at, two := split(own, claimed.Node*claimed.Node, within, allowed); two {
		whole := l.sides[0]
		if l.divide(own, at, allowed, sideOf); len(l.sides) == 1 && whole.known > 0 && whole.farFrom(l.sides[0].median) {
			l.sides[0] = whole // most of all nodes, remembered ones included, are not of the better group
		}
		return
	}
	l.ahead = l.aheadIn(own)
	if len(own) == len(l.nodes) {
		return
	}
	if at, two := split(l.nodes, claimed.Node*claimed.Node, within, allowed); two {
		l.excuse(at, allowed, sideOf)
	}
}
