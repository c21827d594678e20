package blame

import (
	"cmp"
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

// confirmations are the second measurements that the suspects need, the slowest first, each node at most once.
func (c *inquiry) confirmations() []pairing {
	if !c.majority || !c.enough {
		return nil
	}
	d := &drawing{inquiry: c, busy: map[*member]bool{}, reserved: map[*member]bool{}}
	for _, s := range c.suspects {
		if s.link != nil && !s.Blamed {
			d.reserved[s.link.i], d.reserved[s.link.j] = true, true
		}
	}
	for _, s := range c.suspects {
		if !s.Blamed {
			d.confirm(s)
		}
	}
	if len(d.pairs) > 0 { // nobody waits for a node that just lacks data, but it may come along
		for _, n := range c.nodes {
			if n.measured == 1 {
				d.withGood(n)
			}
		}
		if len(c.nodes) <= smallFleet { // idle nodes repeat the pairs that were measured least
			for _, l := range slices.SortedStableFunc(slices.Values(d.links), func(x, y *link) int { return cmp.Compare(len(x.scores), len(y.scores)) }) {
				d.add(l.i, l.j)
			}
		}
	}
	return d.pairs
}

// drawing is a confirming round being drawn.
type drawing struct {
	*inquiry
	busy, reserved map[*member]bool
	from           int // where the search for a free partner goes on, so that all searches together are linear
	pairs          []pairing
}

// confirm draws what one suspect needs.
func (d *drawing) confirm(s suspect) {
	switch {
	case s.border != nil:
		d.acrossBorder(s.border)
	case s.link != nil && len(s.slots) == 0:
		d.add(s.link.i, s.link.j)
	case s.link != nil && s.Repeats == 0 && d.add(s.link.i, s.link.j):
	default:
		for _, slot := range s.slots {
			d.withGood(slot.of)
		}
	}
}

func (d *drawing) add(a, b *member) bool {
	p := ordered(a, b)
	if a == b || d.busy[a] || d.busy[b] || !d.allowed(p) {
		return false
	}
	d.busy[a], d.busy[b] = true, true
	d.pairs = append(d.pairs, p)
	return true
}

// withGood draws a node with a good partner that it has not met, or failing that with one that it has.
func (d *drawing) withGood(n *member) {
	again, fewest := n, 0
	if d.busy[n] {
		return
	}
	for step := range d.nodes {
		o := d.nodes[(d.from+step)%len(d.nodes)]
		p := ordered(n, o)
		if o == n || !o.good || d.busy[o] || d.reserved[o] || !d.allowed(p) {
			continue
		}
		if !d.met[p] {
			d.from, again = (o.number+1)%len(d.nodes), o
			break
		}
		if times := timesMeasured(n, o); again == n || times < fewest {
			again, fewest = o, times
		}
	}
	d.add(n, again)
}

// timesMeasured is how often two nodes were.
func timesMeasured(n, o *member) int {
	for _, slot := range n.slots {
		for _, l := range slot.links {
			if l.other(slot).of == o {
				return len(l.scores)
			}
		}
	}
	return 0
}

// acrossBorder draws pairs of good nodes across a boundary: three that were not measured, or else again.
func (d *drawing) acrossBorder(b *border) {
	drawn := 0
	for i, n := range d.nodes {
		if drawn == minBorderPairs {
			return
		}
		if n.place != b.p || !n.good || d.busy[n] {
			continue
		}
		for step := range d.nodes {
			o := d.nodes[(i+len(d.nodes)/2+step)%len(d.nodes)]
			across := o.place >= 0 && o.place != b.p && (b.q < 0 || o.place == b.q)
			if across && o.good && d.add(n, o) {
				drawn++
				break
			}
		}
	}
}
