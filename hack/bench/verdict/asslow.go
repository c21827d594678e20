package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/stat"
)

// What a rule fails that goes on finding as much. Where healthy hardware differs more than it was recorded to, some of it is as slow as a fault: a GPU that is drawn 5% slow, and one
// that a fault makes 5% slow, are one measurement. A rule that finds so slow a part in some share of cases fails that share of those that are drawn so. By
// what Assay finds of each size where hardware is as recorded, this is how many healthy nodes of another world a rule fails that finds as much there.

// asSlowDraws of nodes in each world.
const asSlowDraws = 20_000

// found says how often a fault of GPUs is found, by how slow its part is in all: the fault comes on top of what that part differs by anyway.
type found struct {
	fault
	slow   []float64 // in order
	recall []float64 // from there on
}

// window of cases that a recall is taken from.
const window = 40

// foundOf cases: where a part is slower than so many of them, at least as many are found as of those that are just less slow.
func foundOf(f fault, cases []oneCase) found {
	slices.SortFunc(cases, func(a, b oneCase) int { return cmp.Compare(a.slow, b.slow) })
	of := found{fault: f}
	for i := window; i <= len(cases); i++ {
		of.slow = append(of.slow, cases[i-1].slow)
		of.recall = append(of.recall, float64(list.Count(cases[i-window:i], func(c oneCase) bool { return c.found }))/window)
	}
	for i := len(of.recall) - 2; i >= 0; i-- { // a healthy node that failed by chance is no recall: what is slower would be found as often
		of.recall[i] = min(of.recall[i], of.recall[i+1])
	}
	return of
}

// of a part that is slow by a share.
func (f found) of(slow float64) float64 {
	if i, _ := slices.BinarySearch(f.slow, slow); i > 0 {
		return f.recall[i-1]
	}
	return 0
}

// oneCase of a fault.
type oneCase struct {
	slow  float64
	found bool
}

// findings are the faults that show in one metric of GPUs, and how often each is found where hardware is as recorded.
func (p *program) findings(s setup) (all []found) {
	for _, f := range list.Where(faults, func(f fault) bool { return !ofCPU[f.benchmark] && len(f.metrics) == 1 }) {
		cases := slices.Concat(each(max(1, p.trials/min(s.nodes, victims)), func(k int) []oneCase {
			return newRun(p.lab, rand.New(rand.NewPCG(61, uint64(k))), s, []*bench{p.lab.named(f.benchmark)}).cases(f)
		})...)
		all = append(all, foundOf(f, cases))
	}
	return all
}

// cases of a fault, at every size, in some machines of a fleet.
func (x *run) cases(f fault) (all []oneCase) {
	for _, b := range x.benches {
		for k := range b.metrics {
			metric := &b.metrics[k]
			if !f.measuredBy(metric) {
				continue
			}
			for i := range min(x.nodes, victims) {
				slow := f.slowness(x.machines, x.machines[i], metric)[0] // gpu0, or the node
				for _, f.size = range sizes {
					all = append(all, oneCase{1 - (1-slow)*(1-f.size), x.find(&f, i).found.yes > 0})
				}
			}
		}
	}
	return all
}

// slowness of the parts that the fault may sit in: of GPUs beside the others of their node, or of a node beside others.
func (f *fault) slowness(fleet []*machine, m *machine, x *metricModel) []float64 {
	middle := stat.Median(m.off[x])
	if f.where == onNode {
		return []float64{1 - middle/stat.Median(list.Map(fleet, func(o *machine) float64 { return stat.Median(o.off[x]) }))}
	}
	return list.Map(m.off[x], func(off float64) float64 { return 1 - off/middle })
}

// asSlow is the share of healthy nodes that fail by any rule which finds as much as these in every world.
func (p *program) asSlow(s setup, all []found) float64 {
	shares := each(asSlowDraws/s.nodes, func(k int) float64 {
		fleet := p.lab.machines(rand.New(rand.NewPCG(60, uint64(k))), s, p.lab.benches)
		failed := 0.0
		for _, m := range fleet {
			fails := 0.0 // by the part that is found most often: how far others are found in the same nodes is the rule's business
			for _, f := range all {
				b := p.lab.named(f.benchmark)
				for i := range b.metrics {
					if x := &b.metrics[i]; f.measuredBy(x) {
						for _, slow := range f.slowness(fleet, m, x) {
							fails = max(fails, f.of(slow))
						}
					}
				}
			}
			failed += fails
		}
		return failed / float64(len(fleet))
	})
	sum := 0.0
	for _, share := range shares {
		sum += share
	}
	return sum / float64(len(shares))
}

// asSlowTable prints how many healthy nodes a rule fails that finds what Assay finds, in any world.
func (p *program) asSlowTable(setups []setup) {
	worlds := slices.DeleteFunc(slices.Clone(natures), func(w nature) bool { return w.wider == 0 && w.tails == 0 && w.name != natures[0].name })
	fmt.Fprint(p.out, "### Healthy nodes that are as slow as what is found, %\n\n| fleet |")
	for _, w := range worlds {
		fmt.Fprintf(p.out, " %s |", w.name)
	}
	fmt.Fprintln(p.out, "\n|---|"+strings.Repeat("---|", len(worlds)))
	for _, s := range setups {
		all := p.findings(s)
		fmt.Fprintf(p.out, "| %s |", s)
		for _, w := range worlds {
			s.nature = w
			fmt.Fprintf(p.out, " %.2f |", 100*p.asSlow(s, all))
		}
		fmt.Fprintln(p.out)
	}
	fmt.Fprintln(p.out)
}
