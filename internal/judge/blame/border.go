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
	links  []int
}

// minBorder is how many pairs, of how many different nodes on a side, it takes to speak of a boundary.
const (
	minBorderPairs = 3
	minBorderNodes = 2
)

// findBorders looks for places of which all far pairs are slow though their nodes are fast inside, then for pairs of places.
func (f *fit) findBorders() {
	clear(f.boundary)
	f.borders = nil
	if len(f.places) < 3 {
		return // with two places there is one boundary and nothing to compare it with
	}
	single, double := make([][]int, len(f.places)), map[[2]int][]int{}
	for k := range f.links {
		l := &f.links[k]
		p, q := f.place[l.i], f.place[l.j]
		if p < 0 || q < 0 || p == q {
			continue
		}
		single[p], single[q] = append(single[p], k), append(single[q], k)
		double[ordered(p, q)] = append(double[ordered(p, q)], k)
	}
	for p, links := range single {
		if f.severalOthers(p, links) { // else it is one boundary between two places
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

// severalOthers: the links lead from a place to more than one other.
func (f *fit) severalOthers(p int, links []int) bool {
	other := func(k int) int { return f.place[f.links[k].i] + f.place[f.links[k].j] - p }
	return slices.ContainsFunc(links, func(k int) bool { return other(k) != other(links[0]) })
}

// addBorder adds a boundary if nearly all pairs across it are slow, beyond chance, of several nodes that are fast inside. Between two places, none
// of them is across a slower one.
func (f *fit) addBorder(b border) {
	var overs []float64
	slow, ends := 0, map[int]bool{}
	for _, k := range b.links {
		if b.q >= 0 && f.boundary[k] != 0 {
			return
		}
		over := f.links[k].y - f.level[1]
		overs = append(overs, over)
		if over <= -f.o.threshold()/2 {
			slow++
			ends[f.links[k].i], ends[f.links[k].j] = true, true
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
	for _, k := range b.links {
		f.boundary[k] = min(f.boundary[k], b.effect)
	}
}

// sides counts the ends of slow pairs on both sides of a boundary, of nodes that are fast inside; outside of a whole
// place, the others need no such proof.
func (f *fit) sides(b border, ends map[int]bool) (in, out int) {
	for i := range ends {
		fast := f.fastInside(i)
		if f.place[i] == b.p && fast {
			in++
		} else if f.place[i] != b.p && (b.q < 0 || fast) {
			out++
		}
	}
	return in, out
}

// fastInside: a pair of the node inside its place is as fast as others.
func (f *fit) fastInside(i int) bool {
	for _, slot := range f.slotsOf(i) {
		for _, k := range f.ofSlot[slot] {
			if f.links[k].far == 0 && f.links[k].y-f.level[0] > -f.o.threshold()/2 {
				return true
			}
		}
	}
	return false
}

func (t *table) slotsOf(node int) []int {
	if t.directed {
		return []int{2 * node, 2*node + 1}
	}
	return []int{node}
}
