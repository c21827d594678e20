package blame

import (
	"slices"

	"github.com/assay-dev/assay/internal/list"
)

// smallFleet has so few nodes that their noise is hardly known: none of them is idle while others are measured.
const smallFleet = 16

// Step is what to measure next.
type Step struct {
	// Round that the pairs belong to, from 1.
	Round int
	// Pairs to measure, disjoint: all may run at once. What is left of a begun round comes first. None: nothing is left to measure.
	Pairs []Pair
}

// Next returns what to measure next.
func Next(nodes []Node, measurements []Measurement, o Options) Step {
	t := newTable(nodes, measurements, o)
	if t.last > 0 {
		if s := t.before(t.last).step(t.last).without(t, t.last); len(s.Pairs) > 0 {
			return s
		}
	}
	return t.step(t.last + 1)
}

// step is a round, from the measurements of the rounds before.
func (t *table) step(round int) Step {
	if round > t.o.MaxRounds {
		return Step{}
	}
	if round <= t.o.Rounds {
		if s := named(round, t.draw(round)); len(s.Pairs) > 0 {
			return s
		}
	}
	c := newInquiry(t)
	if s := named(round, c.confirmations()); len(s.Pairs) > 0 || !c.wantsMoreRounds() {
		return s
	}
	if s := named(round, t.draw(round)); len(s.Pairs) > 0 || len(t.nodes) < minNodes {
		return s
	}
	return t.again(round)
}

// again measures everybody once more: nobody has a new partner left, but noise may be all that is in the way.
func (t *table) again(round int) Step {
	n := len(t.nodes)
	return named(round, list.Where(circle(t.nodes, (round-1)%(n-1+n%2)), t.allowed))
}

// wantsMoreRounds: another round of everybody could help. Four or five nodes have soon met, so that noise may hide a slow one.
func (c *inquiry) wantsMoreRounds() bool {
	noisy := len(c.nodes) <= 5 && c.last < 6 && c.hidden() > c.o.threshold()
	return !c.enough || noisy || slices.ContainsFunc(c.suspects, func(s suspect) bool { return s.Kind == KindSuspects })
}

// named is a round of these pairs.
func named(round int, pairs []pairing) Step {
	return Step{Round: round, Pairs: list.Map(pairs, func(p pairing) Pair { return NewPair(p[0].Name, p[1].Name) })}
}

// without is what of a round is left to measure; a node is measured once a round.
func (s Step) without(t *table, round int) Step {
	busy := map[string]bool{}
	for _, p := range t.measurements {
		if p.Round == round {
			busy[p.A], busy[p.B] = true, true
		}
	}
	s.Pairs = slices.DeleteFunc(slices.Clone(s.Pairs), func(p Pair) bool { return busy[p.A] || busy[p.B] })
	return s
}
