// Package simulate runs tournaments on invented fleets of which the truth is known, and counts how often blame is right.
// It is pure: a seed decides everything.
package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/assay-dev/assay/internal/judge/blame"
)

// World is a fleet and what is wrong with it.
type World struct {
	Nodes     int
	PlaceSize int     // nodes per place; 0: no places
	Noise     float64 // standard deviation of the logarithm of a measurement
	Spread    float64 // the same between healthy nodes
	SlowNodes float64 // share of the nodes that are slow
	SlowLinks float64 // share of all pairs whose link is slow
	// Slowness is drawn evenly from Least to Most: 0.1 is 10% slower.
	Least, Most float64
	Missing     float64 // share of the measurements that fail
	SlowPlaces  int     // places whose uplink is slow, by Most
	Directed    bool    // both directions are measured, and a slow node is slow in sending only
	Seed        uint64
}

// healthy is the level of a good pair.
const healthy = 10.0

// List of the nodes.
func (w World) List() []blame.Node {
	nodes := make([]blame.Node, w.Nodes)
	for i := range nodes {
		nodes[i].Name = fmt.Sprintf("node-%04d", i)
		if w.PlaceSize > 0 {
			nodes[i].Place = fmt.Sprintf("leaf-%03d", i/w.PlaceSize)
		}
	}
	return nodes
}

// truth of a world: everything is drawn from the seed and the names, so that pairs need no table.
type truth struct {
	World
	index map[string]int
	slow  []float64 // of each node: what it loses, 0 for none
	own   []float64 // the healthy difference of each node, a logarithm
}

func newTruth(w World) *truth {
	t := &truth{World: w, index: map[string]int{}, slow: make([]float64, w.Nodes), own: make([]float64, w.Nodes)}
	for i, n := range w.List() {
		t.index[n.Name] = i
		t.own[i] = w.Spread * w.rand(1, i).NormFloat64()
	}
	r := w.rand(2)
	for _, i := range r.Perm(w.Nodes)[:int(math.Round(w.SlowNodes*float64(w.Nodes)))] {
		t.slow[i] = w.loss(r)
	}
	return t
}

func (w World) rand(what ...int) *rand.Rand {
	h := w.Seed
	for _, x := range what {
		h = (h ^ uint64(x)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return rand.New(rand.NewPCG(h, w.Seed))
}

func (w World) loss(r *rand.Rand) float64 { return w.Least + (w.Most-w.Least)*r.Float64() }

// linkLoss is what the link of two nodes loses.
func (t *truth) linkLoss(i, j int) float64 {
	r := t.rand(3, min(i, j), max(i, j))
	if r.Float64() < t.SlowLinks {
		return t.loss(r)
	}
	return 0
}

// borderLoss is what the way between two places loses.
func (t *truth) borderLoss(i, j int) float64 {
	if t.PlaceSize == 0 || i/t.PlaceSize == j/t.PlaceSize || min(i, j)/t.PlaceSize >= t.SlowPlaces {
		return 0
	}
	return t.Most
}

// measure a pair: the slowest part caps it.
func (t *truth) measure(p blame.Pair, round int) blame.Measurement {
	i, j := t.index[p.A], t.index[p.B]
	r := t.rand(4, round, i, j)
	m := blame.Measurement{Pair: p, Round: round}
	if r.Float64() < t.Missing {
		return m
	}
	value := func(a, b int) float64 {
		loss := max(t.slow[a], t.linkLoss(i, j), t.borderLoss(i, j))
		if !t.Directed {
			loss = max(loss, t.slow[b])
		}
		return healthy * (1 - loss) * math.Exp(t.own[a]+t.own[b]+t.Noise*r.NormFloat64())
	}
	if t.Directed {
		m.Samples = []blame.Sample{{From: p.A, To: p.B, Value: value(i, j)}, {From: p.B, To: p.A, Value: value(j, i)}}
	} else {
		m.Samples = []blame.Sample{{Value: value(i, j)}}
	}
	return m
}
