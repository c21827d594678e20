package blame

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/internal/list"
)

// drawByPlace draws a round of many nodes in places, near or far.
func (t *table) drawByPlace(round int) []pairing {
	var pairs []pairing
	pool := slices.Clone(t.nodes)
	if t.wantsNear(round) {
		pairs, pool = t.inside(round)
		if t.o.Pairs == Within {
			return pairs
		}
	}
	return t.repaired(round, append(pairs, t.between(pool, round)...))
}

// inside draws near pairs: a round of the circle in every place. What is left has nobody new inside.
func (t *table) inside(round int) (pairs []pairing, left []*member) {
	members := make([][]*member, len(t.places))
	for _, n := range t.nodes {
		if n.place < 0 {
			left = append(left, n)
		} else {
			members[n.place] = append(members[n.place], n)
		}
	}
	turn := round - 1
	if t.o.Pairs == Anywhere {
		turn = (round - 1) / 2
	}
	for _, m := range members {
		drawn := map[*member]bool{}
		for _, p := range circle(m, turn) {
			if !t.met[ordered(p[0], p[1])] {
				pairs = append(pairs, p)
				drawn[p[0]], drawn[p[1]] = true, true
			}
		}
		left = append(left, list.Where(m, func(n *member) bool { return !drawn[n] })...)
	}
	return pairs, left
}

// between draws far pairs of a pool. In the order of places, one that is half the pool away is in another place unless a
// place has more than half of all; every round is shifted by a place and one node more, so that places meet several others.
func (t *table) between(pool []*member, round int) []pairing {
	if len(pool)%2 == 1 {
		bye := slices.MaxFunc(pool, func(x, y *member) int { return cmp.Compare(x.partners, y.partners) }) // so that it goes around
		pool = list.Where(pool, func(n *member) bool { return n != bye })
	}
	slices.SortFunc(pool, func(x, y *member) int {
		return cmp.Or(cmp.Compare(uint(x.place), uint(y.place)), cmp.Compare(x.number, y.number))
	})
	size, stride := make([]int, len(t.places)), 1
	for _, n := range t.nodes {
		if n.place >= 0 {
			size[n.place]++
			stride = max(stride, size[n.place]+1)
		}
	}
	half := len(pool) / 2
	pairs := make([]pairing, 0, half)
	for k := range half {
		pairs = append(pairs, pairing{pool[k], pool[half+(k+(round-1)/2*stride)%half]})
	}
	return pairs
}
