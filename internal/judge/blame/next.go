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
		if s := t.named(round, t.draw(round)); len(s.Pairs) > 0 {
			return s
		}
	}
	c := newInquiry(t)
	if s := t.named(round, c.confirmations()); len(s.Pairs) > 0 || !c.wantsMoreRounds() {
		return s
	}
	if s := t.named(round, t.draw(round)); len(s.Pairs) > 0 || len(t.nodes) < minNodes {
		return s
	}
	return t.again(round)
}

// again measures everybody once more: nobody has a new partner left, but noise may be all that is in the way.
func (t *table) again(round int) Step {
	n := len(t.nodes)
	pairs := circle(all(n), (round-1)%(n-1+n%2))
	return t.named(round, list.Where(pairs, func(p [2]int) bool { return t.allowed(p[0], p[1]) }))
}

// wantsMoreRounds: another round of everybody could help. Four or five nodes have soon met, so that noise may hide a slow one.
func (c *inquiry) wantsMoreRounds() bool {
	noisy := len(c.nodes) <= 5 && c.last < 6 && c.hidden() > c.o.threshold()
	return !c.enough || noisy || slices.ContainsFunc(c.suspects, func(s suspect) bool { return s.Kind == KindSuspects })
}

// named is a round of these pairs.
func (t *table) named(round int, pairs [][2]int) Step {
	names := list.Map(pairs, func(p [2]int) Pair { return NewPair(t.nodes[p[0]].Name, t.nodes[p[1]].Name) })
	return Step{Round: round, Pairs: names}
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
func (c *inquiry) confirmations() [][2]int {
	if !c.majority || !c.enough {
		return nil
	}
	d := &drawing{inquiry: c, busy: make([]bool, len(c.nodes)), reserved: make([]bool, len(c.nodes))}
	for _, s := range c.suspects {
		if s.link >= 0 && !s.Blamed {
			d.reserved[c.links[s.link].i], d.reserved[c.links[s.link].j] = true, true
		}
	}
	for _, s := range c.suspects {
		if !s.Blamed {
			d.confirm(s)
		}
	}
	if len(d.pairs) > 0 { // nobody waits for a node that just lacks data, but it may come along
		for i := range c.nodes {
			if c.measured[i] == 1 {
				d.withGood(i)
			}
		}
		if len(c.nodes) <= smallFleet {
			d.fill()
		}
	}
	return d.pairs
}

// drawing is a confirming round being drawn.
type drawing struct {
	*inquiry
	busy, reserved []bool
	from           int // where the search for a free partner goes on, so that all searches together are linear
	pairs          [][2]int
}

// confirm draws what one suspect needs.
func (d *drawing) confirm(s suspect) {
	switch {
	case s.border >= 0:
		d.acrossBorder(d.borders[s.border])
	case s.link >= 0 && len(s.slots) == 0:
		d.add(d.links[s.link].i, d.links[s.link].j)
	case s.link >= 0 && s.Repeats == 0 && d.add(d.links[s.link].i, d.links[s.link].j):
	default:
		for _, slot := range s.slots {
			d.withGood(d.node(slot))
		}
	}
}

func (d *drawing) add(i, j int) bool {
	if i == j || d.busy[i] || d.busy[j] || !d.allowed(i, j) {
		return false
	}
	d.busy[i], d.busy[j] = true, true
	d.pairs = append(d.pairs, ordered(i, j))
	return true
}

// withGood draws a node with a good partner that it has not met, or failing that with one that it has.
func (d *drawing) withGood(i int) {
	n, again, fewest := len(d.nodes), i, 0
	if d.busy[i] {
		return
	}
	for step := range n {
		j := (d.from + step) % n
		if j == i || !d.good[j] || d.busy[j] || d.reserved[j] || !d.allowed(i, j) {
			continue
		}
		if !d.met[ordered(i, j)] {
			d.from, again = (j+1)%n, j
			break
		}
		if times := d.timesMeasured(i, j); again == i || times < fewest {
			again, fewest = j, times
		}
	}
	d.add(i, again)
}

// fill lets idle nodes repeat the pairs that were measured least.
func (d *drawing) fill() {
	order := all(len(d.links))
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(len(d.links[x].scores), len(d.links[y].scores)) })
	for _, k := range order {
		d.add(d.links[k].i, d.links[k].j)
	}
}

// timesMeasured is how often two nodes were.
func (d *drawing) timesMeasured(i, j int) int {
	for _, slot := range d.slotsOf(i) {
		for _, k := range d.ofSlot[slot] {
			if d.node(d.links[k].other(slot)) == j {
				return len(d.links[k].scores)
			}
		}
	}
	return 0
}

// acrossBorder draws pairs of good nodes across a boundary: three that were not measured, or else again.
func (d *drawing) acrossBorder(b border) {
	drawn := 0
	for i := range d.nodes {
		if drawn == minBorderPairs {
			return
		}
		if d.place[i] != b.p || !d.good[i] || d.busy[i] {
			continue
		}
		for step := range d.nodes {
			j := (i + len(d.nodes)/2 + step) % len(d.nodes)
			across := d.place[j] >= 0 && d.place[j] != b.p && (b.q < 0 || d.place[j] == b.q)
			if across && d.good[j] && d.add(i, j) {
				drawn++
				break
			}
		}
	}
}
