package simulate

import (
	"testing"

	"github.com/assay-dev/assay/internal/judge/blame"
)

// fleetOf is a fleet with 2% noise of which 2% of nodes and links are 10% slow.
func fleetOf(n int, seed uint64) World {
	return World{Nodes: n, PlaceSize: 16, Noise: 0.02, Spread: 0.005, SlowNodes: 0.02, SlowLinks: 0.02, Least: 0.1, Most: 0.1, Seed: seed}
}

// The bounds hold for these seeds; make bench-blame prints the figures themselves.
func TestTenPercentIsFoundInSixRounds(t *testing.T) {
	for _, n := range []int{128, 512} {
		var sum Score
		for seed := range uint64(8192 / n) {
			sum.Add(Run(fleetOf(n, seed+1), blame.Options{}))
		}
		if sum.Rounds > 6 || sum.Nodes.Precision() < 0.998 || sum.Nodes.Recall() < 0.99 || sum.Links.Precision() < 0.99 || sum.Links.Recall() < 0.97 {
			t.Errorf("%d nodes: %d rounds, nodes %+v, links %+v", n, sum.Rounds, sum.Nodes, sum.Links)
		}
	}
}

func TestHealthyFleetBlamesNobody(t *testing.T) {
	for _, noise := range []float64{0.005, 0.02, 0.05} {
		for seed := range uint64(4) {
			w := World{Nodes: 512, PlaceSize: 16, Noise: noise, Spread: noise / 4, Seed: seed}
			if out := Run(w, blame.Options{}); out.Nodes.Wrong+out.Links.Wrong+out.Places.Wrong > 0 {
				t.Errorf("noise %v, seed %d: nodes %+v, links %+v, places %+v", noise, seed, out.Nodes, out.Links, out.Places)
			}
		}
	}
}

// Noise above the floor, in fleets so small that it is hardly known: nodes are tainted by what is said here.
func TestNoiseAboveTheFloorIsNoNodesFault(t *testing.T) {
	for _, n := range []int{4, 8} {
		wrong, fleets := 0, 512
		for seed := range uint64(fleets) {
			wrong += Run(World{Nodes: n, Noise: 0.04, Seed: seed + 1}, blame.Options{}).Nodes.Wrong
		}
		if wrong > 4 {
			t.Errorf("%d nodes blamed in %d healthy fleets of %d", wrong, fleets, n)
		}
	}
}

func TestLeafSwitchIsNotTheNodesFault(t *testing.T) {
	w := World{Nodes: 256, PlaceSize: 16, Noise: 0.02, Spread: 0.005, Most: 0.2, SlowPlaces: 1, Seed: 1}
	out := Run(w, blame.Options{})
	if out.Nodes.Wrong+out.Links.Wrong > 0 || out.Places.Found != 1 || out.Places.Wrong > 0 {
		t.Errorf("nodes %+v, links %+v, places %+v", out.Nodes, out.Links, out.Places)
	}
}

func BenchmarkNext4096(b *testing.B) {
	w := fleetOf(4096, 1)
	nodes, measurements := w.List(), Rounds(w, blame.Options{}, 4)
	b.ReportAllocs()
	for b.Loop() {
		blame.Next(nodes, measurements, blame.Options{})
	}
}
