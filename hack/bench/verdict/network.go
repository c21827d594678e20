package main

import (
	"fmt"
	"strconv"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/hack/bench/blame/simulate"
	"github.com/assay-dev/assay/internal/judge/blame"
)

// What two healthy nodes of a quiet network differ by: assumed, as none was recorded.
const (
	networkNoise  = 0.01
	networkSpread = 0.003
)

// networkTable plays tournaments of pairs in which one node is slow, or none.
func (p *program) networkTable(m *v1alpha1.Metric) {
	fmt.Fprintf(p.out, "### Pairs of nodes: %s at %g%% noise\n\n| nodes |", m.Name, 100*networkNoise)
	for _, size := range sizes {
		fmt.Fprintf(p.out, " %g%% slow |", 100*size)
	}
	fmt.Fprintln(p.out, " healthy nodes blamed, % | rounds |\n|---|---|---|---|---|---|---|---|---|---|")
	for _, nodes := range []int{4, 8, 16, 32, 128} {
		fmt.Fprintf(p.out, "| %d |", nodes)
		var wrong tally
		rounds := 0
		for _, size := range append([]float64{0}, sizes...) {
			sum := p.tournaments(nodes, size, p.trials, pairOptions(m))
			healthy := nodes * p.trials
			if size > 0 {
				fmt.Fprintf(p.out, " %.3f |", sum.Nodes.Recall())
				healthy -= p.trials
			}
			wrong, rounds = wrong.plus(tally{sum.Nodes.Wrong, healthy}), max(rounds, sum.Rounds)
		}
		fmt.Fprintf(p.out, " %s | %d |\n", wrong.percent(), rounds)
	}
	fmt.Fprintln(p.out)
}

func (p *program) tournaments(nodes int, size float64, times int, o blame.Options) simulate.Score {
	var sum simulate.Score
	for _, s := range each(times, func(k int) simulate.Score { return simulate.Run(world(nodes, size, k), o) }) {
		sum.Add(s)
	}
	return sum
}

// world of which one node is slow, or none.
func world(nodes int, size float64, k int) simulate.World {
	w := simulate.World{Nodes: nodes, Noise: networkNoise, Spread: networkSpread, Least: size, Most: size, Seed: uint64(k + 1)}
	if size > 0 {
		w.SlowNodes = 1 / float64(nodes)
	}
	return w
}

// pairOptions are what a run takes from the catalogue for a metric of pairs.
func pairOptions(m *v1alpha1.Metric) blame.Options {
	o := blame.Options{Confirmations: (confirmations + 1) / 2, LowerIsBetter: m.Better == v1alpha1.Lower, Unit: m.Unit}
	o.NoiseFloor, _ = strconv.ParseFloat(string(m.Noise.Run), 64)
	o.Between, _ = strconv.ParseFloat(string(m.Noise.Node), 64)
	if m.Expectation != nil {
		o.MinEffect, _ = strconv.ParseFloat(string(m.Expectation.MaxFleetDeviation), 64)
	}
	return o
}
