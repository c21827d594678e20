package blame

import (
	"math"
	"slices"

	"github.com/assay-dev/assay/internal/stat"
)

// border is a boundary across which all pairs are slow: around one place, or between two.
type border struct {
	p, q   int // places; q -1: towards all others
	effect float64
	links  []*link
}

// minBorder is how many pairs, of how many different nodes on a side, it takes to speak of a boundary.
const (
	minBorderPairs = 3
	minBorderNodes = 2
)

// findBorders looks for places of which all far pairs are slow though their nodes are fast inside, then for pairs of places.
func (f *fit) findBorders() {
	for _, l := range f.links {
		l.boundary = 0
	}
	f.borders = nil
	if len(f.places) < 3 {
		return // with two places there is one boundary and nothing to compare it with
	}
	single, double := make([][]*link, len(f.places)), map[[2]int][]*link{}
	for _, l := range f.links {
		p, q := l.i.place, l.j.place
		if p < 0 || q < 0 || p == q {
			continue
		}
		single[p], single[q] = append(single[p], l), append(single[q], l)
		double[[2]int{min(p, q), max(p, q)}] = append(double[[2]int{min(p, q), max(p, q)}], l)
	}
	for p, links := range single {
		other := func(l *link) int { return l.i.place + l.j.place - p }
		if slices.ContainsFunc(links, func(l *link) bool { return other(l) != other(links[0]) }) { // else it is one boundary between two places
			f.addBorder(border{p: p, q: -1, links: links})
		}
	}
	for p := range f.places {
		for q := p + 1; q < len(f.places); q++ {
			if links := double[[2]int{p, q}]; len(links) >= minBorderPairs {
				f.addBorder(border{p: p, q: q, links: links})
			}
		}
	}
}

// addBorder adds a boundary if nearly all pairs across it are slow, beyond chance, of several nodes that are fast inside. Between two places, none
// of them is across a slower one.
func (f *fit) addBorder(b border) {
	var overs []float64
	slow, ends := 0, map[*member]bool{}
	for _, l := range b.links {
		if b.q >= 0 && l.boundary != 0 {
			return
		}
		over := l.y - f.level[1]
		overs = append(overs, over)
		if over <= -f.o.threshold()/2 {
			slow++
			ends[l.i], ends[l.j] = true, true
		}
	}
	if len(overs) < minBorderPairs || 10*slow < 9*len(overs) {
		return
	}
	in, out := f.sides(b, ends)
	b.effect = stat.Median(overs)
	noise := f.sigma / math.Sqrt(float64(len(overs)))
	if in < minBorderNodes || out < minBorderNodes || b.effect > -math.Max(0.75*f.o.threshold(), 3.5*noise) {
		return
	}
	f.borders = append(f.borders, b)
	for _, l := range b.links {
		l.boundary = min(l.boundary, b.effect)
	}
}

// sides counts the ends of slow pairs on both sides of a boundary, of nodes that are fast inside; outside of a whole
// place, the others need no such proof.
func (f *fit) sides(b border, ends map[*member]bool) (in, out int) {
	for n := range ends {
		fast := f.fastInside(n)
		if n.place == b.p && fast {
			in++
		} else if n.place != b.p && (b.q < 0 || fast) {
			out++
		}
	}
	return in, out
}

// fastInside: a pair of the node inside its place is as fast as others.
func (f *fit) fastInside(n *member) bool {
	return slices.ContainsFunc(n.slots, f.isFastInside)
}

func (f *fit) isFastInside(slot *slot) bool {
	return slices.ContainsFunc(slot.links, func(l *link) bool { return l.far == 0 && l.y-f.level[0] > f.doubtful(1) })
}
