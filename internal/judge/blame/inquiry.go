package blame

import (
	"cmp"
	"math"
	"slices"
)

// inquiry is a fit and its suspects, the slowest first.
type inquiry struct {
	*fit
	majority bool
	enough   bool
	ofLevel  [2]int // links inside places, and across them
	suspects []suspect
}

func newInquiry(t *table) *inquiry {
	c := &inquiry{fit: newFit(t)}
	for _, l := range t.links {
		c.ofLevel[l.far]++
	}
	goods, measured := 0, 0
	for _, n := range t.nodes {
		if n.measured < minPartners {
			continue
		}
		measured++
		if n.good = !slices.ContainsFunc(n.slots, func(s *slot) bool { return s.slow }); n.good {
			goods++
		}
	}
	c.enough = len(t.nodes) >= minNodes && measured >= minNodes && 2*measured > len(t.nodes)
	c.majority = goods > len(t.nodes)/2
	switch {
	case len(t.nodes) < minNodes:
		c.suspectFew()
	case c.enough && !c.majority:
		c.suspectMost()
	case c.enough:
		c.suspectBorders()
		c.suspectSlots()
		c.suspectLinks()
	}
	c.nameUnmeasured()
	slices.SortStableFunc(c.suspects, func(x, y suspect) int {
		return cmp.Or(cmp.Compare(x.score, y.score), cmp.Compare(x.Kind, y.Kind), slices.Compare(x.Names, y.Names), cmp.Compare(x.Direction, y.Direction))
	})
	return c
}

// proved: an effect with this standard error, the greatest of so many, is beyond chance and worth blame.
func (c *inquiry) proved(effect, err float64, tests int) bool {
	return c.blameworthy(effect) && -effect/err >= c.beyond(alpha/float64(max(1, tests)))
}

func (c *inquiry) blameworthy(effect float64) bool { return effect <= -c.o.threshold()*(1-1e-9) }

// discovery is the distance, in standard errors, from which on at most a share falseLinks of the discoveries is by chance
// (Benjamini and Hochberg 1995). It sorts distances, which are the furthest of so many tests.
func (c *inquiry) discovery(distances []float64, tests int) float64 {
	slices.Sort(distances)
	for i, distance := range distances {
		if distance >= c.beyond(falseLinks*float64(len(distances)-i)/float64(max(1, tests))) {
			return distance
		}
	}
	return math.Inf(1)
}

// repeated measurements of links, in rounds after the measuring ones: by how much they are off in the mean.
func (c *inquiry) repeated(links []*link, off func(l *link, y float64) float64) (mean float64, n int) {
	for _, l := range links {
		for _, s := range l.scores {
			if s.round > c.measuringRounds() {
				mean += off(l, s.y)
				n++
			}
		}
	}
	return mean / float64(max(1, n)), n
}

// measuringRounds: few nodes have met all others in fewer rounds than asked for.
func (t *table) measuringRounds() int {
	n := len(t.nodes)
	return min(t.o.Rounds, max(1, n-1+n%2))
}

func (c *inquiry) weight(slot *slot) float64 { return float64(len(c.goodLinks(slot))) }
