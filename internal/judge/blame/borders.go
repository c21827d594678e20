package blame

import (
	"maps"
	"math"
	"slices"

	"github.com/assay-dev/assay/internal/list"
)

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
	c.suspectAll(names, c.home(), worst)
}

func (c *inquiry) suspectAll(names map[string]bool, level, worst float64) {
	if len(names) == 0 {
		return
	}
	s := newSuspect(KindSuspects, slices.Sorted(maps.Keys(names)), worst)
	c.figures(&s.Finding, level+worst, level)
	c.suspects = append(c.suspects, s)
}
