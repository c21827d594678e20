package blame

import (
	"cmp"
	"slices"
)

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
	inside := slices.ContainsFunc(n.slots, func(s *slot) bool { return s.inside })
	for step := range d.nodes {
		o := d.nodes[(d.from+step)%len(d.nodes)]
		p := ordered(n, o)
		if o == n || !o.good || d.busy[o] || d.reserved[o] || !d.allowed(p) || inside && !n.near(o) {
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
