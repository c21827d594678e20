package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/hack/bench/blame/simulate"
	"github.com/assay-dev/assay/internal/judge/blame"
	"github.com/assay-dev/assay/internal/stat"
)

// networkMistakes is the share of healthy fleets in which the oracle may blame a node: what internal/judge/blame allows itself.
const networkMistakes = 2e-4

// boundTable prints what an oracle finds of the goals.
func (p *program) boundTable(title string, goals []goal, setups []setup, byPast bool) {
	fmt.Fprintf(p.out, "### %s\n\n| slow |", title)
	for _, s := range setups {
		fmt.Fprintf(p.out, " %s |", s)
	}
	fmt.Fprintln(p.out, "\n|---|"+strings.Repeat("---|", len(setups)))
	for _, f := range faultsOf(p.only(goals)) {
		if f.where == onLink || f.where == onLinks { // every rule finds those
			continue
		}
		fmt.Fprintf(p.out, "| %s, %g%% |", f.name, 100*f.size)
		for i, s := range setups {
			if f.where == onNode && s == (setup{nodes: 1, gpus: s.gpus}) { // it has nothing to be compared with
				fmt.Fprint(p.out, " - |")
				continue
			}
			found := newOracle(p.lab, s, &f, byPast).recall(oracleTrials, uint64(500+i))
			fmt.Fprintf(p.out, " %s |", found.goal())
		}
		fmt.Fprintln(p.out)
	}
	fmt.Fprintln(p.out)
}

// networkBounds prints what an oracle finds by the measurements that tournaments make.
func (p *program) networkBounds(m *v1alpha1.Metric) {
	fmt.Fprint(p.out, "### The best of tournaments\n\n| nodes | slow | found | by the oracle |\n|---|---|---|---|\n")
	for _, nodes := range []int{4, 8} {
		for _, size := range []float64{0.02, 0.03, 0.05} {
			o := pairOptions(m)
			best, seeds := tally{}, 10*p.trials
			for _, found := range each(seeds, func(k int) bool {
				w := world(nodes, size, k)
				return furthest(w, simulate.Rounds(w, o, math.MaxInt)) > stat.NormalCritical(networkMistakes/float64(nodes))
			}) {
				best.count(found)
			}
			fmt.Fprintf(p.out, "| %d | %g%% | %.3f | %.3f |\n", nodes, 100*size, p.tournaments(nodes, size, seeds, o).Nodes.Recall(), best.share())
		}
	}
	fmt.Fprintln(p.out)
}

// furthest is by how many standard deviations the slowest node is slow, by one who knows the noise.
func furthest(w simulate.World, measurements []blame.Measurement) float64 {
	sums, times := map[blame.Pair]float64{}, map[blame.Pair]float64{}
	for _, m := range measurements {
		sums[m.Pair] += math.Log(m.Samples[0].Value)
		times[m.Pair]++
	}
	var pairs []blame.Pair
	for pair := range sums {
		pairs = append(pairs, pair)
	}
	covariance := make([][]float64, len(pairs))
	for i, a := range pairs {
		covariance[i] = make([]float64, len(pairs))
		for k, b := range pairs {
			covariance[i][k] = unknown
			for _, name := range []string{a.A, a.B} {
				if name == b.A || name == b.B {
					covariance[i][k] += w.Spread * w.Spread
				}
			}
		}
		covariance[i][i] += w.Noise * w.Noise / times[a]
	}
	var distances []float64
	for _, n := range w.List() {
		place := make([]float64, len(pairs))
		for i, pair := range pairs {
			if pair.A == n.Name || pair.B == n.Name {
				place[i] = 1
			}
		}
		distance := 0.0
		for i, weight := range weigh(covariance, place) {
			distance -= weight * sums[pairs[i]] / times[pairs[i]]
		}
		distances = append(distances, distance)
	}
	return slices.Max(distances)
}
