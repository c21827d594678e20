package blame

import "slices"

// exactLimit is up to how many nodes the best matching is found by trying all: 10 nodes have 945.
const exactLimit = 10

// pairing of two nodes, in order.
type pairing [2]*member

func ordered(a, b *member) pairing {
	if b.number < a.number {
		a, b = b, a
	}
	return pairing{a, b}
}

// draw is the matching of a measuring round.
func (t *table) draw(round int) []pairing {
	n, byPlace := len(t.nodes), t.topology || t.o.Pairs != Anywhere
	if pairs := t.unmet(circle(t.nodes, round-1)); !byPlace && len(pairs) == n/2 {
		return pairs // not where a node left in mid-tournament: the circle meets pairs that have met
	}
	switch {
	case n <= exactLimit:
		return t.unmet(t.best(round))
	case byPlace:
		return t.unmet(t.drawByPlace(round))
	}
	return t.unmet(t.repaired(round, circle(t.nodes, round-1)))
}

// unmet keeps the pairs that are allowed and have not met: measuring a pair twice is for suspects.
func (t *table) unmet(pairs []pairing) []pairing {
	kept := pairs[:0]
	for _, p := range pairs {
		if p = ordered(p[0], p[1]); t.allowed(p) && !t.met[p] {
			kept = append(kept, p)
		}
	}
	return kept
}

// circle is one round of the round-robin tournament: the first stays, the others move around it by one place a round.
// With an odd number, the one that would meet the empty chair has a bye. There are len-1 rounds (odd: len); then no more.
func circle(nodes []*member, round int) []pairing {
	n := len(nodes) + len(nodes)%2
	if round < 0 || round >= n-1 {
		return nil
	}
	at := func(chair int) *member {
		if chair > 0 {
			chair = 1 + (chair-1+round)%(n-1)
		}
		if chair >= len(nodes) {
			return nil
		}
		return nodes[chair]
	}
	var pairs []pairing
	for c := range n / 2 {
		if a, b := at(c), at(n-1-c); a != nil && b != nil {
			pairs = append(pairs, pairing{a, b})
		}
	}
	return pairs
}

// wantsNear: near and far rounds take turns, the first is near.
func (t *table) wantsNear(round int) bool {
	return t.o.Pairs == Within || t.o.Pairs == Anywhere && round%2 == 1
}

// cost of a pair in a round: one that met is worst, then one that the round does not ask for.
func (t *table) cost(round int, a, b *member) int {
	switch p := ordered(a, b); {
	case !t.allowed(p) || t.met[p]:
		return 100
	case a.near(b) != t.wantsNear(round):
		return 1
	}
	return 0
}

// best is the cheapest matching of few nodes, the first one where several are.
func (t *table) best(round int) []pairing {
	n := len(t.nodes)
	var best, current []pairing
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
				current = append(current, pairing{t.nodes[from], t.nodes[j]})
				search(from+1, cost+t.cost(round, t.nodes[from], t.nodes[j]), bye)
				current = current[:len(current)-1]
				used[j] = false
			}
		}
		if bye { // the one that has met the most sits out
			search(from+1, cost+10*(n-min(t.nodes[from].partners, n)), false)
		}
		used[from] = false
	}
	search(0, 0, n%2 == 1)
	return best
}

// repairTries bounds the search for an exchange, so that a round stays linear in the nodes.
const repairTries = 256

// repaired exchanges partners where a pair has met, or is not what the round asks for.
func (t *table) repaired(round int, pairs []pairing) []pairing {
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
