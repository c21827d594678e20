package fleet

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/stat"
)

// levels are the nodes of one pool: the level of each, and how far their parts are from it.
type levels struct {
	nodes []nodeLevel
	// slots that are off by design; nil: none.
	slots *slots
	// sides are what its nodes are judged by: all of them, its two populations, the lower one first, or the better group alone.
	sides []side
	// whole are all of them, where it takes remembered nodes to tell two populations: the better one is judged by all.
	whole *side
	// shift of most nodes against their past, and, until it is known, by how much each changed since its first passes, and since its last.
	shift   past.Shift
	changes [2][]float64
	// ahead of most nodes of the run.
	ahead Ahead
	// better is the direction, and edge the best level of the worse population.
	better v1alpha1.Direction
	edge   float64
}

// nodeLevel is what the like parts of one node reach.
type nodeLevel struct {
	*group
	of *Digest
	// residuals of its parts.
	residuals []float32
}

// side is a set of nodes that are alike.
type side struct {
	nodes  []nodeLevel // by level
	median float64
	parts  int
	known  int
	oldest time.Time // of what is known
	// within a node, of one measurement, which is the same for all sides, and between nodes beyond that: variances, as fractions.
	within  *bounds.Spread
	between bounds.Spread
}

func newSide(nodes []nodeLevel, claimed bounds.Noise, within *bounds.Spread) side {
	s := side{nodes: nodes, median: medianLevel(nodes), within: within}
	distances := make([]float64, len(nodes))
	for i := range nodes {
		n := &nodes[i]
		s.parts += int(n.parts)
		if at := n.of.Time; !at.IsZero() {
			s.known++
			if s.oldest.IsZero() || at.Before(s.oldest) {
				s.oldest = at
			}
		}
		distances[i] = math.Abs(n.level - s.median)
	}
	s.between = between(distances, s.median, s.perNode(), claimed.Node*claimed.Node, *within)
	return s
}

// spreads that were learnt, which are added to others.
func (l *levels) spreads(to []*bounds.Spread) []*bounds.Spread {
	to = append(to, l.sides[0].within)
	for i := range l.sides {
		to = append(to, &l.sides[i].between)
	}
	if l.whole != nil {
		to = append(to, &l.whole.between)
	}
	return to
}

// farFrom a level: nodes so far apart are not of one kind.
func (s *side) farFrom(better float64) bool {
	return math.Abs(s.median-better) > mostApart*math.Abs(better)
}

// perNode is the usual number of parts.
func (s *side) perNode() int { return max(1, s.parts/max(1, len(s.nodes))) }

// between nodes, beyond what their parts explain, by the distances of their levels from the median.
func between(distances []float64, median float64, parts int, claimed float64, within bounds.Spread) bounds.Spread {
	n := float64(len(distances))
	if n < 2 || median == 0 {
		return bounds.OfLike(claimed, 0, 0, nil)
	}
	sigma := stat.MADToSigma * stat.Median(distances) / math.Abs(median)
	seen := max(0, sigma*sigma*n/(n-1)-within.Variance*bounds.OfMedian(parts))
	return bounds.OfLike(claimed, seen, bounds.MADEfficiency*(n-1), nil)
}

// without is what a side's nodes reach but one, which need not be there.
func (s *side) without(own *group, better v1alpha1.Direction) (center float64, nodes, parts int) {
	at := func(i int) float64 { return s.nodes[i].level }
	n := len(s.nodes)
	if own != nil {
		if i, there := slices.BinarySearchFunc(s.nodes, own.level, compareLevel); there {
			return centerOf(n-1, skipping(i, at), better), n - 1, s.parts - int(own.parts)
		}
	}
	return centerOf(n, at, better), n, s.parts
}

func compareLevel(n nodeLevel, level float64) int { return cmp.Compare(n.level, level) }

// center of n others, whose values are in order: their median, and of an even number the worse of the middle two: that half
// of the others are better makes nobody slow.
func centerOf(n int, at func(int) float64, better v1alpha1.Direction) float64 {
	if n == 0 {
		return 0
	}
	if better == v1alpha1.Lower {
		return at(n / 2)
	}
	return at((n - 1) / 2)
}

// skipping leaves out one of the values that are in order.
func skipping(one int, at func(int) float64) func(int) float64 {
	return func(i int) float64 {
		if i >= one {
			i++
		}
		return at(i)
	}
}

func medianLevel(nodes []nodeLevel) float64 {
	return stat.MedianOf(len(nodes), func(i int) float64 { return nodes[i].level })
}

// mostApart: nodes that are farther apart are not of one kind with other settings, such as power caps; the worse ones are at fault.
const mostApart = 0.1

// Ahead are nodes that reach far more than most of a run do: so many of how many, and how much in the middle. They are too few to be a kind of their
// own, and too many to be outliers: most of the nodes may be slow.
type Ahead struct {
	Nodes, Of int
	Level     float64
}

// aheadIn nodes of a run, which are in order of their levels.
func (l *levels) aheadIn(nodes []nodeLevel) (a Ahead) {
	middle := medianLevel(nodes)
	better := list.Some(nodes, func(n nodeLevel) (float64, bool) {
		apart := math.Abs(n.level - middle)
		return n.level, apart > mostApart*math.Abs(n.level) && n.level > middle == (l.better != v1alpha1.Lower)
	})
	if len(better) < leastOthers || float64(len(better)) < leastShare*float64(len(nodes)) {
		return Ahead{}
	}
	return Ahead{Nodes: len(better), Of: len(nodes), Level: stat.Median(better)}
}

// Leaves a node behind: one at this level is not one of those ahead.
func (a Ahead) Leaves(level float64) bool {
	return a.Nodes > 0 && math.Abs(level-a.Level) > mostApart*math.Abs(a.Level)
}
