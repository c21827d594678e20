package blame

import (
	"math"

	"github.com/assay-dev/assay/internal/list"
)

// suspectLinks names links that are slower than their two ends explain.
func (c *inquiry) suspectLinks() {
	slow := list.Some(c.links, c.linkSuspect)
	// Those are blamed that may be and are beyond chance, by either distance: that of all measurements, among all links, or that of the second ones,
	// among the links measured again.
	whole := c.discovery(list.Map(slow, func(s suspect) float64 { return s.whole }), len(c.links))
	retested := list.Count(c.links, func(l *link) bool { return l.again > 0 })
	again := c.discovery(list.Map(slow, func(s suspect) float64 { return s.again }), retested)
	found := map[pairing]int{}
	for _, s := range slow {
		s.Blamed = s.Blamed && (s.whole >= whole || s.again >= again)
		key := pairing{s.link.i, s.link.j}
		if at, both := found[key]; both {
			c.suspects[at] = bothWays(c.suspects[at], s)
			continue
		}
		found[key] = len(c.suspects)
		c.suspects = append(c.suspects, s)
	}
}

func (c *inquiry) linkSuspect(l *link) (suspect, bool) {
	r := c.residual(l)
	noise := c.sigma * c.sigma
	once := math.Sqrt(noise/l.m + c.uncertain(l.a, l) + c.uncertain(l.b, l))
	if r > -max(0.75*c.o.threshold(), screenLinks*once) || c.openEnd(l.a) || c.openEnd(l.b) {
		return suspect{}, false
	}
	s := newSuspect(KindLink, []string{l.i.Name, l.j.Name}, r)
	s.link, s.Repeats, s.whole = l, l.again, -r/once
	if c.directed {
		s.Direction = Forward
		if l.a.of != l.i {
			s.Direction = Backward
		}
	}
	c.figures(&s.Finding, l.y, l.y-r)
	again := l.retest - l.y + r
	if l.again > 0 {
		s.again = -again / math.Sqrt(noise/float64(l.again)+c.uncertain(l.a, l)+c.uncertain(l.b, l))
	}
	endsFine := true
	for _, slot := range []*slot{l.a, l.b} {
		// It is fine where enough other pairs with good partners are known, and the better half of them is as fast as expected.
		others := c.goodLinksBut(slot, l)
		if !slot.slow && (len(others) < minPartners || c.best(slot, others) <= -0.75*c.o.threshold()) {
			endsFine, s.slots = false, append(s.slots, slot)
		}
	}
	// Where the first measurement was fast and does not count, one slow repetition proves nothing yet.
	s.Blamed = c.blameworthy(r) && endsFine && int(l.m)-1 >= c.o.Confirmations && again <= -c.o.threshold()/2
	return s, true
}

// uncertain is the variance of a slot's effect, as its other links show it.
func (c *inquiry) uncertain(slot *slot, except *link) float64 {
	n := c.weight(slot) - 1
	if n <= 0 {
		return c.sigma * c.sigma
	}
	if slot.slow && c.effectWithout(slot, except) <= c.doubtful(n) {
		return c.sigma * c.sigma / n
	}
	return c.shrinkage(n) * c.sigma * c.sigma / n
}

// openEnd: the slot is a suspect of which too little is known to say anything of its links.
func (c *inquiry) openEnd(slot *slot) bool {
	return slot.slow && len(c.goodLinks(slot)) < minPartners
}

// best is the effect of a slot as the better half of some of its links shows it: a slow node has no fast pair, so what the
// others lack is theirs.
func (c *inquiry) best(slot *slot, links []*link) float64 {
	return betterHalf(c.shownBy(links, slot), c.sigma)
}

// nameUnmeasured names nodes that were drawn with several partners, of which others could be measured, and gave no number.
func (c *inquiry) nameUnmeasured() {
	for _, n := range c.nodes {
		if n.measured == 0 && n.partners >= minPartners {
			c.suspects = append(c.suspects, newSuspect(KindUnmeasured, []string{n.Name}, 0))
		}
	}
}
