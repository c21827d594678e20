package blame

import (
	"cmp"
	"embed"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/test/golden"
)

//go:embed testdata
var files embed.FS

var _ = golden.Keep(files)

// world is a group in which much is slow at once.
type world struct {
	*rand.Rand
	nodes         []Node
	o             Options
	directed      bool
	noise         float64
	node, sending map[string]float64 // by how much of its speed it is slower
	link, way     map[Pair]float64   // of two nodes, of two places
	disturbed     int                // the round in which one pair in four is
	missing       float64            // the share of pairs that give no number
}

func drawnWorld(r *rand.Rand) *world {
	w := &world{Rand: r, directed: r.IntN(3) == 0, noise: golden.One(r, 0, 0.003, 0.01, 0.03), node: map[string]float64{}, sending: map[string]float64{},
		link: map[Pair]float64{}, way: map[Pair]float64{}, disturbed: r.IntN(12), missing: golden.One(r, 0, 0, 0.03)}
	four := []string{"leaf-1", "leaf-2", "leaf-3", "leaf-4"}
	w.nodes = fleet(golden.One(r, 2, 3, 4, 5, 8, 11, 16, 23, 24), golden.One(r, nil, four[:2], four, four, []string{"", "leaf-1", "leaf-2", "leaf-2"})...)
	w.o = Options{Rounds: golden.One(r, 0, 0, 2, 7), MaxRounds: golden.One(r, 0, 0, 9), Confirmations: golden.One(r, 0, 2, 3), NoiseFloor: golden.One(r, 0, 0.003, 0.01),
		Between: golden.One(r, 0, 0, 0.005), MinEffect: golden.One(r, 0, 0.02, 0.1), LowerIsBetter: r.IntN(4) == 0, Unit: "GB/s"}
	if r.IntN(6) == 0 {
		w.o.Pairs = golden.One(r, Within, Across)
	}
	name := func() string { return golden.One(r, w.nodes...).Name }
	for range r.IntN(3) {
		w.node[name()] = golden.One(r, 0.03, 0.07, 0.2, 0.2, 0.5, 1)
	}
	for range r.IntN(3) {
		w.link[NewPair(name(), name())] = golden.One(r, 0.04, 0.1, 0.3)
	}
	switch r.IntN(5) {
	case 0:
		w.sending[name()] = golden.One(r, 0.1, 0.2)
	case 1:
		for _, n := range w.nodes {
			if n.Place == "leaf-2" {
				w.node[n.Name] = 0.2
			}
		}
	case 2, 3:
		for _, other := range golden.One(r, four, four[:1]) {
			w.way[NewPair("leaf-2", other)] = 0.3
		}
	}
	return w
}

// value of a pair, which is as fast as the slowest part of its way.
func (w *world) value(from, to string, round int) float64 {
	place := map[string]string{}
	for _, n := range w.nodes {
		place[n.Name] = n.Place
	}
	loss := max(w.node[from], w.node[to], w.sending[from], w.link[NewPair(from, to)])
	if place[from] != place[to] {
		loss += max(0.1, w.way[NewPair(place[from], place[to])])
	}
	if round == w.disturbed && w.IntN(4) == 0 {
		loss += 0.3
	}
	if w.Float64() < w.missing || loss >= 1 {
		return 0
	}
	v := 10 * (1 - loss) * math.Exp(w.noise*w.NormFloat64())
	if w.o.LowerIsBetter {
		v = 100 / v
	}
	return quantity.Round(v, 6)
}

// play the tournament, and tell everything of it.
func (w *world) play(t *testing.T) string {
	var out strings.Builder
	measurements, v := tournament(t, w.nodes, w.o, w.directed, w.value)
	round := 0
	for _, m := range measurements {
		if m.Round != round {
			round = m.Round
			fmt.Fprintf(&out, "\n  round %d:", round)
		}
		fmt.Fprintf(&out, " %s-%s", m.A, m.B)
	}
	fmt.Fprintf(&out, "\nlevel %.6g, enough %v %s\n", v.Level, v.Enough, golden.Figures(v.Message))
	for _, n := range v.Nodes {
		fmt.Fprintf(&out, "%s: effect %s, margin %s, finds %s, %d partners, reached", n.Name, percent(n.Effect), percent(n.Margin), percent(n.Finds), n.Partners)
		for _, r := range n.Reached {
			fmt.Fprintf(&out, " %.6g/%.6g", r.Value, r.Partner)
		}
		fmt.Fprintln(&out)
	}
	for _, f := range v.Findings {
		fmt.Fprintf(&out, "%s %v %s, blamed %v, %d repeats, effect %s, %.6g for %.6g: %s\n", f.Kind, f.Names, f.Direction, f.Blamed, f.Repeats, percent(f.Effect), f.Value, f.Expected, golden.Figures(f.Message))
	}
	return out.String()
}

func percent(v float64) string { return fmt.Sprintf("%v%%", math.Round(1e5*v)/1e3+0) }

func TestDrawnTournaments(t *testing.T) {
	golden.Sums(t, "tournaments", 480, func(r *rand.Rand) string {
		w := drawnWorld(r)
		return fmt.Sprintf("%d nodes, %+v, slow: nodes %v, in sending %v, links %v, ways %v%s", len(w.nodes), w.o, w.node, w.sending, w.link, w.way, w.play(t))
	})
}

// TestDrawnCollectives: what is measured and said of collectives that are slow where certain members meet, or cannot be measured.
func TestDrawnCollectives(t *testing.T) {
	golden.Sums(t, "collectives", 320, func(r *rand.Rand) string {
		nodes, together := fleet(2+r.IntN(15), golden.One(r, nil, []string{"a", "b"}, []string{"a", "b", "c", "d"}, []string{"", "a", "b"})...), map[string]bool{}
		for range 1 + r.IntN(3) {
			together[golden.One(r, nodes...).Name] = true
		}
		places, failing := r.IntN(3) == 0, r.IntN(4) == 0
		out := fmt.Sprintf("%d nodes, slow where %v meet, by place: %v\n", len(nodes), slices.Sorted(maps.Keys(together)), places)
		var trials []Trial
		for range 20 {
			s := Bisect(append(nodes, nodes[0]), trials)
			if len(s.Next) == 0 {
				return out + golden.Told(s.Findings)
			}
			for _, set := range s.Next {
				in := map[string]bool{}
				for _, n := range nodes {
					if has(n.Name, set...) && (together[n.Name] || places && n.Place == "b") {
						in[cmp.Or(map[bool]string{true: n.Place}[places], n.Name)] = true
					}
				}
				trials = append(trials, Trial{Members: set, Slow: len(in) == len(together), Failed: failing && r.IntN(6) == 0})
				out += fmt.Sprintf("%+v\n", trials[len(trials)-1])
			}
		}
		return out + "without end"
	})
}
