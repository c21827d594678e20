package blame

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/stat"
)

// member is a node that takes part.
type member struct {
	Node
	number   int // by name
	place    int // -1: unknown
	partners int // how many it was drawn with
	measured int // in how many pairs
	slots    []*slot
	good     bool // it may serve to test others
}

// slot of a node carries an effect: there is one, or a sending and a receiving one where all samples have a direction.
type slot struct {
	of        *member
	direction Direction
	links     []*link
	effect    float64
	slow      bool // it is no yardstick
	inside    bool // only its near pairs tell how fast it is
}

// link is all that was measured between two slots: of one pair, or of one direction of it.
type link struct {
	number   int
	a, b     *slot   // what sends and what receives, or the nodes
	i, j     *member // in order
	far      int     // 1 for different places, which have a level of their own
	scores   []scored
	y        float64 // the mean of what counts
	m        float64 // how many measurements that is
	retest   float64 // mean of the second and later measurements
	again    int     // how many those are
	boundary float64 // the slowness of the boundary that it crosses, 0 or less
}

type scored struct {
	round int
	y     float64
}

// table is all measurements, with what was measured of whom.
type table struct {
	o            Options
	nodes        []*member // sorted, each name once
	byName       map[string]*member
	places       []string
	topology     bool
	directed     bool
	slots        []*slot
	links        []*link
	met          map[pairing]bool
	measurements []Measurement
	last         int // the last round
}

// near: both nodes are known to be in one place.
func (n *member) near(o *member) bool { return n.place >= 0 && n.place == o.place }

// add puts the mean of the samples of one measurement, or of those from one node, onto the link of two slots.
func (t *table) add(known map[[2]*slot]*link, p Measurement, a, b *slot) {
	scores := list.Some(p.Samples, func(s Sample) (float64, bool) {
		return t.o.score(s.Value), valid(s.Value) && (!t.directed || s.From == a.of.Name)
	})
	if len(scores) == 0 {
		return
	}
	slices.Sort(scores) // so that the sum does not depend on the order
	l := known[[2]*slot{a, b}]
	if l == nil {
		l = &link{number: len(t.links), a: a, b: b, i: t.byName[p.A], j: t.byName[p.B]}
		if t.topology && !l.i.near(l.j) {
			l.far = 1
		}
		known[[2]*slot{a, b}] = l
		t.links = append(t.links, l)
	}
	l.scores = append(l.scores, scored{p.Round, stat.Mean(scores)})
}

// other end of a link, seen from a slot.
func (l *link) other(s *slot) *slot {
	if l.a == s {
		return l.b
	}
	return l.a
}

// telling are the links that tell how fast a slot is.
func (s *slot) telling() []*link { return list.Where(s.links, s.tells) }

func (s *slot) tells(l *link) bool { return !s.inside || l.far == 0 }

// reached by the near or far pairs of a slot.
func (s *slot) reached(far int) []float64 {
	return list.Some(s.links, func(l *link) (float64, bool) { return l.y, l.far == far })
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
	return newTable(list.Map(t.nodes, func(n *member) Node { return n.Node }), t.measurements[:end], t.o)
}
