package simulate

import (
	"math"

	"github.com/assay-dev/assay/internal/judge/blame"
)

// Tally of what was right.
type Tally struct{ Found, Wrong, Missed int }

// Precision is the share of the blamed that are faulty, Recall the share of the faulty that are blamed; 1 for none.
func (t Tally) Precision() float64 { return share(t.Found, t.Wrong) }

// Recall is the share of the faulty that are blamed.
func (t Tally) Recall() float64 { return share(t.Found, t.Missed) }

func share(yes, no int) float64 {
	if yes+no == 0 {
		return 1
	}
	return float64(yes) / float64(yes+no)
}

func (t *Tally) add(o Tally) {
	t.Found, t.Wrong, t.Missed = t.Found+o.Found, t.Wrong+o.Wrong, t.Missed+o.Missed
}

// Score of one or several tournaments.
type Score struct {
	Nodes, Places Tally
	// Links: faulty are the slow links that were measured, of which no end is slow, nor the way between the places: another
	// pair's link cannot be seen, nor one behind something slow.
	Links    Tally
	Rounds   int // the most of any tournament
	Measured int // pairs, each time that one was
	// Pairs that exist, and how many different ones were measured.
	AllPairs, Different int
	Verdict             blame.Verdict // of the last
}

// Add the counts of another score.
func (o *Score) Add(x Score) {
	o.Nodes.add(x.Nodes)
	o.Links.add(x.Links)
	o.Places.add(x.Places)
	o.Rounds = max(o.Rounds, x.Rounds)
	o.Measured += x.Measured
	o.AllPairs += x.AllPairs
	o.Different += x.Different
	o.Verdict = x.Verdict
}

// Run takes a tournament to its end.
func Run(w World, o blame.Options) Score {
	t, nodes := newTruth(w), w.List()
	out := Score{AllPairs: w.Nodes * (w.Nodes - 1) / 2}
	measurements := t.rounds(nodes, o, math.MaxInt)
	for _, p := range measurements {
		out.Rounds = max(out.Rounds, p.Round)
	}
	out.Measured = len(measurements)
	out.Verdict = blame.Judge(nodes, measurements, o)
	t.score(&out, measurements)
	return out
}

// Rounds measures the first rounds of a tournament.
func Rounds(w World, o blame.Options, most int) []blame.Measurement {
	return newTruth(w).rounds(w.List(), o, most)
}

func (t *truth) rounds(nodes []blame.Node, o blame.Options, most int) []blame.Measurement {
	var measurements []blame.Measurement
	for {
		s := blame.Next(nodes, measurements, o)
		if len(s.Pairs) == 0 || s.Round > most {
			return measurements
		}
		for _, p := range s.Pairs {
			measurements = append(measurements, t.measure(p, s.Round))
		}
	}
}

func (t *truth) score(out *Score, measurements []blame.Measurement) {
	nodes, links, places := map[string]bool{}, map[blame.Pair]bool{}, map[string]bool{}
	for _, f := range out.Verdict.Findings {
		switch {
		case !f.Blamed:
		case f.Kind == blame.KindNode:
			nodes[f.Names[0]] = true
		case f.Kind == blame.KindLink:
			links[blame.NewPair(f.Names[0], f.Names[1])] = true
		case f.Kind == blame.KindBoundary:
			places[f.Names[0]] = true
		}
	}
	for name, i := range t.index {
		count(&out.Nodes, t.slow[i] > 0, nodes[name], false)
	}
	seen := map[blame.Pair]bool{}
	for _, p := range measurements {
		if seen[p.Pair] {
			continue
		}
		seen[p.Pair] = true
		i, j := t.index[p.A], t.index[p.B]
		hidden := t.slow[i] > 0 || t.slow[j] > 0 || t.borderLoss(i, j) > 0
		count(&out.Links, t.linkLoss(i, j) > 0, links[p.Pair], hidden)
	}
	out.Different = len(seen)
	for place := 0; t.PlaceSize > 0 && place*t.PlaceSize < t.Nodes; place++ {
		name := t.List()[place*t.PlaceSize].Place
		count(&out.Places, place < t.SlowPlaces, places[name], false)
	}
}

// count one that is faulty or not and blamed or not; one that is hidden cannot be missed.
func count(t *Tally, faulty, blamed, hidden bool) {
	switch {
	case faulty && blamed:
		t.Found++
	case blamed:
		t.Wrong++
	case faulty && !hidden:
		t.Missed++
	}
}
