package blame

import (
	"cmp"
	"maps"
	"slices"
)

func newTable(nodes []Node, measurements []Measurement, o Options) *table {
	t := &table{o: o.withDefaults(), byName: map[string]*member{}, met: map[pairing]bool{}}
	t.addNodes(nodes)
	for _, p := range measurements {
		p.Pair = NewPair(p.A, p.B)
		p.Round = max(1, p.Round)
		if t.byName[p.A] != nil && t.byName[p.B] != nil && p.A != p.B {
			t.measurements = append(t.measurements, p)
		}
	}
	// The order of the measurements must not matter, to the last bit.
	slices.SortStableFunc(t.measurements, func(x, y Measurement) int {
		return cmp.Or(cmp.Compare(x.Round, y.Round), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
	t.directed = t.allDirected()
	t.addLinks()
	return t
}

func (t *table) addNodes(nodes []Node) {
	nodes = slices.SortedFunc(slices.Values(nodes), func(x, y Node) int {
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(y.Place, x.Place))
	})
	nodes = slices.CompactFunc(nodes, func(x, y Node) bool { return x.Name == y.Name })
	number := map[string]int{}
	for _, n := range nodes {
		number[n.Place] = -1
	}
	t.places = slices.DeleteFunc(slices.Sorted(maps.Keys(number)), func(p string) bool { return p == "" })
	for i, p := range t.places {
		number[p] = i
	}
	t.topology = len(t.places) > 1
	for i, n := range nodes {
		t.nodes = append(t.nodes, &member{Node: n, number: i, place: number[n.Place]})
		t.byName[n.Name] = t.nodes[i]
	}
}

func (t *table) addLinks() {
	for _, n := range t.nodes {
		n.slots = []*slot{{of: n}}
		if t.directed {
			n.slots = []*slot{{of: n, direction: Sending}, {of: n, direction: Receiving}}
		}
		t.slots = append(t.slots, n.slots...)
	}
	number := map[[2]*slot]*link{}
	for _, p := range t.measurements {
		a, b := t.byName[p.A], t.byName[p.B]
		if p := (pairing{a, b}); !t.met[p] {
			t.met[p] = true
			a.partners++
			b.partners++
		}
		t.last = max(t.last, p.Round)
		if t.directed {
			t.add(number, p, a.slots[0], b.slots[1])
			t.add(number, p, b.slots[0], a.slots[1])
		} else {
			t.add(number, p, a.slots[0], b.slots[0])
		}
	}
	seen := map[pairing]bool{}
	for _, l := range t.links {
		l.a.links, l.b.links = append(l.a.links, l), append(l.b.links, l)
		if p := (pairing{l.i, l.j}); !seen[p] {
			seen[p] = true
			l.i.measured++
			l.j.measured++
		}
		l.combine(t.o.NoiseFloor)
	}
}

// allowed: the constraint lets the two be drawn.
func (t *table) allowed(p pairing) bool {
	switch t.o.Pairs {
	case Within:
		return p[0].near(p[1])
	case Across:
		return p[0].place >= 0 && p[1].place >= 0 && !p[0].near(p[1])
	}
	return true
}

func (t *table) allDirected() bool {
	any := false
	for _, p := range t.measurements {
		for _, s := range p.Samples {
			if !valid(s.Value) {
				continue
			}
			any = true
			if s.From == s.To || NewPair(s.From, s.To) != p.Pair {
				return false
			}
		}
	}
	return any
}
