package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Stories are what one run, or one machine in one run, cannot show.

// partOfFleet: some nodes are slow as a whole. A quarter of them and more, up to 10% slow, could be another kind of hardware: nobody
// fails, and the run says so.
func (p *program) partOfFleet() {
	fmt.Fprint(p.out, "### A part of the fleet is slow\n\n"+
		"| nodes x 8 GPUs | slow | slow nodes failed | runs that tell two kinds | healthy nodes failed, % |\n|---|---|---|---|---|\n")
	for _, nodes := range []int{8, 32, 128} {
		for _, percent := range []int{20, 30} {
			for _, f := range []fault{
				{name: "HBM", benchmark: "gpustream", where: onNode, size: 0.02}, {name: "fp32", benchmark: "gemm", metrics: []string{"fp32"}, where: onNode, size: 0.05},
				{name: "fp16", benchmark: "gemm", metrics: []string{"fp16"}, where: onNode, size: 0.15}, {name: "DGEMM", benchmark: "dgemm", where: onNode, size: 0.05},
			} {
				slow := (percent*nodes + 99) / 100
				got := p.shareFails(setup{nodes: nodes, gpus: 8}, &f, slow)
				fmt.Fprintf(p.out, "| %d | %d nodes, %s %g%% | %s | %s | %s |\n", nodes, slow, f.name, 100*f.size, got.slow.goal(), got.twoKinds.recall(), got.healthy.percent())
			}
		}
	}
	fmt.Fprintln(p.out)
}

// shares of failed nodes, and of runs that tell of two kinds.
type shares struct{ slow, healthy, twoKinds tally }

// shareFails: the first nodes of a fleet are slow.
func (p *program) shareFails(s setup, f *fault, slow int) (sum shares) {
	for _, t := range each(max(4, 4*p.trials/s.nodes), func(k int) (out shares) {
		x := newRun(p.lab, rand.New(rand.NewPCG(31, uint64(k))), s, []*bench{p.lab.named(f.benchmark)})
		faults := map[int]*fault{}
		for i := range slow {
			faults[i] = f
		}
		x.measureAll(faults)
		out.twoKinds.count(len(x.fleet(x.benches[0]).Populations()) > 0)
		for i, got := range x.conclude(faults) {
			failed := got[0].Verdict == v1alpha1.VerdictFail
			if i < slow {
				out.slow.count(failed)
			} else {
				out.healthy.count(failed)
			}
		}
		return out
	}) {
		sum = shares{sum.slow.plus(t.slow), sum.healthy.plus(t.healthy), sum.twoKinds.plus(t.twoKinds)}
	}
	return sum
}

// populations: a part of the nodes is slower for good, by less than a power cap costs, and nothing is wrong with any of them.
func (p *program) populations() {
	fmt.Fprint(p.out, "### Two populations under one label\n\n"+
		"| nodes x 8 GPUs | slower half | slower nodes failed, % | faster nodes failed, % | a GPU 10% slow in the slower half |\n|---|---|---|---|---|\n")
	for _, c := range []mixture{
		{8, 4, "hbmTriad", "gpustream", 0.03}, {32, 16, "hbmTriad", "gpustream", 0.03}, {32, 8, "hbmTriad", "gpustream", 0.05}, {32, 16, "fp16", "gemm", 0.08},
		{128, 40, "fp16", "gemm", 0.08}, {32, 16, "dgemm", "dgemm", 0.08},
	} {
		sums := [3]tally{}
		for _, t := range each(max(4, 4*p.trials/c.nodes), func(k int) [3]tally {
			return p.population(rand.New(rand.NewPCG(33, uint64(k))), c)
		}) {
			for i := range sums {
				sums[i] = sums[i].plus(t[i])
			}
		}
		found := "-"
		if sums[2].all > 0 {
			found = sums[2].goal()
		}
		fmt.Fprintf(p.out, "| %d | %d nodes, %s %g%% | %s | %s | %s |\n", c.nodes, c.slower, c.metric, 100*c.size, sums[0].percent(), sums[1].percent(), found)
	}
	fmt.Fprintln(p.out)
}

// mixture of two kinds of nodes under one label: so many are slower by a metric.
type mixture struct {
	nodes, slower     int
	metric, benchmark string
	size              float64
}

func (p *program) population(r *rand.Rand, c mixture) (out [3]tally) {
	b := p.lab.named(c.benchmark)
	x := newRun(p.lab, r, setup{nodes: c.nodes, gpus: 8}, []*bench{b})
	m := &b.metrics[slices.IndexFunc(b.metrics, func(x metricModel) bool { return x.metric() == c.metric })]
	for _, machine := range x.machines[:c.slower] {
		for k := range machine.off[m] {
			machine.off[m][k] *= 1 - c.size
		}
	}
	x.measureAll(nil)
	f := x.fleet(b)
	for i := range x.machines {
		s := x.settle(f, b, i, x.first[b][i], nil)
		if i < c.slower {
			out[0].count(s.broken(c.metric))
		} else {
			out[1].count(s.broken(c.metric))
		}
	}
	if !ofCPU[c.benchmark] {
		out[2] = x.find(&fault{benchmark: c.benchmark, metrics: []string{c.metric}, size: 0.10}, 0).found
	}
	return out
}
