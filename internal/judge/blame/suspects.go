package blame

import (
	"maps"
	"math"
	"slices"

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

// suspectBorders names boundaries; it takes a second measurement across them, too.
func (c *inquiry) suspectBorders() {
	for b := range list.Each(c.borders) {
		s := newSuspect(KindBoundary, []string{c.places[b.p]}, b.effect)
		s.border = b
		if b.q >= 0 {
			s.Names = append(s.Names, c.places[b.q])
		}
		c.figures(&s.Finding, c.level[1]+b.effect, c.level[1])
		again, repeats := c.repeated(b.links, func(_ *link, y float64) float64 { return y - c.level[1] })
		proved := c.proved(b.effect, c.sigma/math.Sqrt(float64(len(b.links))), len(c.places)*len(c.places))
		s.Repeats, s.Blamed = repeats, proved && repeats >= minBorderPairs && again <= -c.o.threshold()/2
		c.suspects = append(c.suspects, s)
	}
	c.suspectFabric()
}

// suspectFabric says that all pairs across places are slower than those inside: by design or by a fault they share, which
// the fleet alone cannot tell.
func (c *inquiry) suspectFabric() {
	var far, near int
	for _, l := range c.links {
		if c.clean(l) {
			far += l.far
			near += 1 - l.far
		}
	}
	drop := c.level[1] - c.level[0]
	if min(far, near) < 2 || drop > -max(c.o.threshold(), 3.5*c.sigma*math.Sqrt(1/float64(far)+1/float64(near))) {
		return
	}
	s := newSuspect(KindBoundary, slices.Clone(c.places), drop)
	c.figures(&s.Finding, c.level[1], c.level[0])
	c.suspects = append(c.suspects, s)
}

// gatherSets puts nodes of one place that are slow alike into one finding: three quarters of a place do not break at once.
func (c *inquiry) gatherSets() {
	if !c.topology {
		return
	}
	members := make([]int, len(c.places))
	for _, n := range c.nodes {
		if n.place >= 0 {
			members[n.place]++
		}
	}
	for p := range c.places {
		isOfPlace := func(s suspect) bool { return s.Kind == KindNode && c.byName[s.Names[0]].place == p }
		found := list.Where(c.suspects, isOfPlace)
		if len(found) < 3 || 4*len(found) < 3*members[p] {
			continue
		}
		set := found[0]
		set.Kind, set.Names, set.slots, set.Direction = KindSet, nil, nil, BothWays
		for _, s := range found {
			set.Names, set.slots = append(set.Names, s.Names[0]), append(set.slots, s.slots...)
		}
		set.Blamed = 2*list.Count(found, func(s suspect) bool { return s.Blamed }) > len(found)
		c.suspects = append(slices.DeleteFunc(c.suspects, isOfPlace), set)
	}
}

// oneWay is by how much one direction of a pair may be slower than the other where no other pair shows what is usual. Networks that are limited by
// token buckets let more through at first: on healthy ones, directions differed by 3.6%.
const oneWay = 0.1

// suspectFew: of two or three nodes, every one that is in a slow pair is a suspect, and nothing tells them apart.
func (c *inquiry) suspectFew() {
	best := math.Inf(-1)
	for _, l := range c.links {
		best = max(best, l.y)
	}
	tolerated := max(c.o.threshold(), 3.5*c.sigma)
	if !slices.ContainsFunc(c.links, func(l *link) bool { return l.i != c.links[0].i || l.j != c.links[0].j }) {
		other := c.o
		other.MinEffect = oneWay
		tolerated = max(tolerated, other.threshold())
	}
	names, worst := map[string]bool{}, 0.0
	for _, l := range c.links {
		if d := l.y - best; d <= -tolerated {
			worst = min(worst, d)
			names[l.i.Name], names[l.j.Name] = true, true
		}
	}
	c.suspectAll(names, best, worst)
}

// suspectMost: without a majority of good nodes nobody knows what good is.
func (c *inquiry) suspectMost() {
	names, worst := map[string]bool{}, 0.0
	for _, slot := range c.slots {
		if slot.slow {
			names[slot.of.Name] = true
			worst = min(worst, slot.effect)
		}
	}
	c.suspectAll(names, c.level[0], worst)
}

func (c *inquiry) suspectAll(names map[string]bool, level, worst float64) {
	if len(names) == 0 {
		return
	}
	s := newSuspect(KindSuspects, slices.Sorted(maps.Keys(names)), worst)
	c.figures(&s.Finding, level+worst, level)
	c.suspects = append(c.suspects, s)
}

// nameUnmeasured names nodes that were drawn with several partners, of which others could be measured, and gave no number.
func (c *inquiry) nameUnmeasured() {
	for _, n := range c.nodes {
		if n.measured == 0 && n.partners >= minPartners {
			c.suspects = append(c.suspects, newSuspect(KindUnmeasured, []string{n.Name}, 0))
		}
	}
}
