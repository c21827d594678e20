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
