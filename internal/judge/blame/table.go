package blame

import (
	"cmp"
	"maps"
	"slices"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/stat"
)

// link is all that was measured between two slots: of one pair, or of one direction of it.
type link struct {
	a, b   int // slots: what sends and what receives, or the nodes
	i, j   int // nodes, i < j
	far    int // 1 for different places, which have a level of their own
	scores []scored
	y      float64 // the mean of what counts
	m      float64 // how many measurements that is
	retest float64 // mean of the second and later measurements
	again  int     // how many those are
}

type scored struct {
	round int
	y     float64
}

// table is all measurements, numbered. Slots carry the effects: one per node, or a sending and a receiving one where all
// samples have a direction.
type table struct {
	o            Options
	nodes        []Node // sorted, each name once
	index        map[string]int
	place        []int // of each node; -1: unknown
	places       []string
	topology     bool
	directed     bool
	links        []link
	ofSlot       [][]int // links of each slot
	met          map[[2]int]bool
	partners     []int // of each node: how many it was drawn with
	measured     []int // of each node: in how many pairs it was measured
	measurements []Measurement
	last         int // the last round
}

func newTable(nodes []Node, measurements []Measurement, o Options) *table {
	t := &table{o: o.withDefaults(), index: map[string]int{}, met: map[[2]int]bool{}}
	t.addNodes(nodes)
	t.partners, t.measured = make([]int, len(t.nodes)), make([]int, len(t.nodes))
	for _, p := range measurements {
		p.Pair = NewPair(p.A, p.B)
		p.Round = max(1, p.Round)
		_, a := t.index[p.A]
		_, b := t.index[p.B]
		if a && b && p.A != p.B {
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
	t.nodes = slices.Clone(nodes)
	slices.SortFunc(t.nodes, func(x, y Node) int {
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(y.Place, x.Place))
	})
	t.nodes = slices.CompactFunc(t.nodes, func(x, y Node) bool { return x.Name == y.Name })
	number := map[string]int{"": -1}
	for _, n := range t.nodes {
		number[n.Place] = -1
	}
	t.places = slices.DeleteFunc(slices.Sorted(maps.Keys(number)), func(p string) bool { return p == "" })
	for i, p := range t.places {
		number[p] = i
	}
	t.topology = len(t.places) > 1
	for i, n := range t.nodes {
		t.index[n.Name] = i
		t.place = append(t.place, number[n.Place])
	}
}

// near: both nodes are known to be in one place.
func (t *table) near(i, j int) bool { return t.place[i] >= 0 && t.place[i] == t.place[j] }

// allowed: the constraint lets the two be drawn.
func (t *table) allowed(i, j int) bool {
	switch t.o.Pairs {
	case Within:
		return t.near(i, j)
	case Across:
		return t.place[i] >= 0 && t.place[j] >= 0 && !t.near(i, j)
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

func (t *table) slots() int {
	if t.directed {
		return 2 * len(t.nodes)
	}
	return len(t.nodes)
}

// node of a slot.
func (t *table) node(slot int) int {
	if t.directed {
		return slot / 2
	}
	return slot
}

func (t *table) addLinks() {
	t.ofSlot = make([][]int, t.slots())
	number := map[[2]int]int{}
	for _, p := range t.measurements {
		i, j := t.index[p.A], t.index[p.B]
		if !t.met[[2]int{i, j}] {
			t.met[[2]int{i, j}] = true
			t.partners[i]++
			t.partners[j]++
		}
		t.last = max(t.last, p.Round)
		if t.directed {
			t.add(number, p, 2*i, 2*j+1, p.A)
			t.add(number, p, 2*j, 2*i+1, p.B)
		} else {
			t.add(number, p, i, j, "")
		}
	}
	seen := map[[2]int]bool{}
	for k := range t.links {
		l := &t.links[k]
		t.ofSlot[l.a] = append(t.ofSlot[l.a], k)
		t.ofSlot[l.b] = append(t.ofSlot[l.b], k)
		if !seen[[2]int{l.i, l.j}] {
			seen[[2]int{l.i, l.j}] = true
			t.measured[l.i]++
			t.measured[l.j]++
		}
		l.combine(t.o.NoiseFloor)
	}
}

// add puts the mean of the samples of one measurement, or of those from one node, onto the link of two slots.
func (t *table) add(number map[[2]int]int, p Measurement, a, b int, from string) {
	var scores []float64
	for _, s := range p.Samples {
		if valid(s.Value) && (from == "" || s.From == from) {
			scores = append(scores, t.o.score(s.Value))
		}
	}
	if len(scores) == 0 {
		return
	}
	slices.Sort(scores) // so that the sum does not depend on the order
	k, ok := number[[2]int{a, b}]
	if !ok {
		k = len(t.links)
		number[[2]int{a, b}] = k
		l := link{a: a, b: b, i: t.index[p.A], j: t.index[p.B]}
		if t.topology && !t.near(l.i, l.j) {
			l.far = 1
		}
		t.links = append(t.links, l)
	}
	t.links[k].scores = append(t.links[k].scores, scored{p.Round, stat.Mean(scores)})
}

// combine takes the mean of all measurements; where the later ones contradict the first, it was a passing disturbance, and
// only the later ones count.
func (l *link) combine(noise float64) {
	slices.SortFunc(l.scores, func(x, y scored) int { return cmp.Or(cmp.Compare(x.round, y.round), cmp.Compare(x.y, y.y)) })
	all := list.Map(l.scores, func(s scored) float64 { return s.y })
	first, n := all[0], len(all)
	l.y, l.m, l.again = stat.Mean(all), float64(n), n-1
	if n == 1 {
		return
	}
	l.retest = stat.Mean(all[1:])
	if difference := first - l.retest; difference*difference > 3.5*3.5*noise*noise*(1+1/float64(n-1)) {
		l.y, l.m = l.retest, float64(n-1)
	}
}

// counted are the measurements that y is the mean of.
func (l *link) counted() []float64 {
	return list.Map(l.scores[len(l.scores)-int(l.m):], func(s scored) float64 { return s.y })
}

// before is the table of the rounds before one that was begun.
func (t *table) before(round int) *table {
	end := slices.IndexFunc(t.measurements, func(p Measurement) bool { return p.Round >= round })
	return newTable(t.nodes, t.measurements[:end], t.o)
}
