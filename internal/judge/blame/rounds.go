package blame

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/internal/list"
)

// exactLimit is up to how many nodes the best matching is found by trying all: 10 nodes have 945.
const exactLimit = 10

// draw is the matching of a measuring round, as node numbers.
func (t *table) draw(round int) [][2]int {
	n, byPlace := len(t.nodes), t.topology || t.o.Pairs != Anywhere
	if pairs := t.unmet(circle(all(n), round-1)); !byPlace && len(pairs) == n/2 {
		return pairs // not where a node left in mid-tournament: the circle meets pairs that have met
	}
	switch {
	case n <= exactLimit:
		return t.unmet(t.best(round))
	case byPlace:
		return t.unmet(t.drawByPlace(round))
	}
	return t.unmet(t.repaired(round, circle(all(n), round-1)))
}

// unmet keeps the pairs that are allowed and have not met: measuring a pair twice is for suspects.
func (t *table) unmet(pairs [][2]int) [][2]int {
	kept := pairs[:0]
	for _, p := range pairs {
		p = ordered(p[0], p[1])
		if t.allowed(p[0], p[1]) && !t.met[p] {
			kept = append(kept, p)
		}
	}
	return kept
}

func ordered(i, j int) [2]int { return [2]int{min(i, j), max(i, j)} }

func all(n int) []int {
	nodes := make([]int, n)
	for i := range nodes {
		nodes[i] = i
	}
	return nodes
}

// circle is one round of the round-robin tournament: the first stays, the others move around it by one place a round.
// With an odd number, the one that would meet the empty chair has a bye. There are len-1 rounds (odd: len); then no more.
func circle(nodes []int, round int) [][2]int {
	n := len(nodes) + len(nodes)%2
	if round < 0 || round >= n-1 {
		return nil
	}
	at := func(chair int) int {
		if chair > 0 {
			chair = 1 + (chair-1+round)%(n-1)
		}
		if chair >= len(nodes) {
			return -1
		}
		return nodes[chair]
	}
	var pairs [][2]int
	for c := range n / 2 {
		if i, j := at(c), at(n-1-c); i >= 0 && j >= 0 {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return pairs
}

// wantsNear: near and far rounds take turns, the first is near.
func (t *table) wantsNear(round int) bool {
	return t.o.Pairs == Within || t.o.Pairs == Anywhere && round%2 == 1
}

// cost of a pair in a round: one that met is worst, then one that the round does not ask for.
func (t *table) cost(round, i, j int) int {
	switch {
	case !t.allowed(i, j) || t.met[ordered(i, j)]:
		return 100
	case t.near(i, j) != t.wantsNear(round):
		return 1
	}
	return 0
}

// byeCost lets the one that has met the most sit out.
func (t *table) byeCost(i int) int { return 10 * (len(t.nodes) - min(t.partners[i], len(t.nodes))) }

// best is the cheapest matching of few nodes, the first one where several are.
func (t *table) best(round int) [][2]int {
	n := len(t.nodes)
	var best, current [][2]int
	lowest, used := 1<<30, make([]bool, n)
	var search func(from, cost int, bye bool)
	search = func(from, cost int, bye bool) {
		for from < n && used[from] {
			from++
		}
		if cost >= lowest {
			return
		}
		if from == n {
			lowest, best = cost, slices.Clone(current)
			return
		}
		used[from] = true
		for j := from + 1; j < n; j++ {
			if !used[j] {
				used[j] = true
				current = append(current, [2]int{from, j})
				search(from+1, cost+t.cost(round, from, j), bye)
				current = current[:len(current)-1]
				used[j] = false
			}
		}
		if bye {
			search(from+1, cost+t.byeCost(from), false)
		}
		used[from] = false
	}
	search(0, 0, n%2 == 1)
	return best
}

// drawByPlace draws a round of many nodes in places, near or far.
func (t *table) drawByPlace(round int) [][2]int {
	var pairs [][2]int
	pool := all(len(t.nodes))
	if t.wantsNear(round) {
		pairs, pool = t.inside(round)
		if t.o.Pairs == Within {
			return pairs
		}
	}
	return t.repaired(round, append(pairs, t.between(pool, round)...))
}

// inside draws near pairs: a round of the circle in every place. What is left has nobody new inside.
func (t *table) inside(round int) (pairs [][2]int, left []int) {
	members := make([][]int, len(t.places))
	for i, p := range t.place {
		if p < 0 {
			left = append(left, i)
		} else {
			members[p] = append(members[p], i)
		}
	}
	turn := round - 1
	if t.o.Pairs == Anywhere {
		turn = (round - 1) / 2
	}
	for _, m := range members {
		drawn := map[int]bool{}
		for _, p := range circle(m, turn) {
			if !t.met[ordered(p[0], p[1])] {
				pairs = append(pairs, p)
				drawn[p[0]], drawn[p[1]] = true, true
			}
		}
		for _, i := range m {
			if !drawn[i] {
				left = append(left, i)
			}
		}
	}
	return pairs, left
}

// between draws far pairs of a pool. In the order of places, one that is half the pool away is in another place unless a
// place has more than half of all; every round is shifted by a place and one node more, so that places meet several others.
func (t *table) between(pool []int, round int) [][2]int {
	if len(pool)%2 == 1 {
		pool = t.withoutBye(pool)
	}
	slices.SortFunc(pool, func(x, y int) int {
		return cmp.Or(cmp.Compare(uint(t.place[x]), uint(t.place[y])), cmp.Compare(x, y))
	})
	size, stride := make([]int, len(t.places)), 1
	for _, p := range t.place {
		if p >= 0 {
			size[p]++
			stride = max(stride, size[p]+1)
		}
	}
	half := len(pool) / 2
	pairs := make([][2]int, 0, half)
	for k := range half {
		pairs = append(pairs, [2]int{pool[k], pool[half+(k+(round-1)/2*stride)%half]})
	}
	return pairs
}

// withoutBye takes out who has met the most, so that the bye goes around.
func (t *table) withoutBye(pool []int) []int {
	bye := slices.MaxFunc(pool, func(x, y int) int { return cmp.Compare(t.partners[x], t.partners[y]) })
	return list.Where(pool, func(i int) bool { return i != bye })
}

// repairTries bounds the search for an exchange, so that a round stays linear in the nodes.
const repairTries = 256

// repaired exchanges partners where a pair has met, or is not what the round asks for.
func (t *table) repaired(round int, pairs [][2]int) [][2]int {
	n := len(pairs)
	for k := range n {
		for step := 1; step < min(n, repairTries) && t.cost(round, pairs[k][0], pairs[k][1]) > 0; step++ {
			p, q := &pairs[k], &pairs[(k+step)%n]
			now := t.cost(round, p[0], p[1]) + t.cost(round, q[0], q[1])
			switch {
			case t.cost(round, p[0], q[1])+t.cost(round, q[0], p[1]) < now:
				p[1], q[1] = q[1], p[1]
			case t.cost(round, p[0], q[0])+t.cost(round, p[1], q[1]) < now:
				p[1], q[0] = q[0], p[1]
			}
		}
	}
	return pairs
}
