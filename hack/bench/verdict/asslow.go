package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/stat"
)

// What a rule cannot pass. Where healthy hardware differs more than it was recorded to, some of it is as slow as a fault: a GPU that is drawn 5% slow, and one
// that a fault makes 5% slow, are one measurement. A rule that finds so slow a part in some share of cases fails that share of those that are drawn so. By
// what Assay finds of each size where hardware is as recorded, this is how many healthy nodes of another world any rule fails that finds as much there.

// asSlowDraws of nodes in each world.
const asSlowDraws = 20_000

// found is the recall of a fault, by size.
type found struct {
	fault
	recall []float64
}

// of a part that is slow by a share: the recall of the next smaller size.
func (f found) of(slow float64) float64 {
	i, exact := slices.BinarySearch(sizes, slow)
	if !exact {
		i--
	}
	if i < 0 {
		return 0
	}
	return f.recall[i]
}

// findings are the faults that show in one metric of GPUs, and how often each is found where hardware is as recorded.
func (p *program) findings(s setup) []found {
	single := list.Where(faults, func(f fault) bool { return !ofCPU[f.benchmark] && len(f.metrics) == 1 })
	scores := recallOf(p.lab, s, atSizes(single), p.trials, 9000)
	return list.Map(single, func(f fault) found {
		return found{f, list.Map(sizes, func(size float64) float64 { return scores[cell{s, f.name, size}].found.share() })}
	})
}

// passes is the probability that a machine of a fleet passes although parts of it are as slow as a fault.
func (f found) passes(fleet []*machine, m *machine, x *metricModel) float64 {
	if f.where == onNode {
		levels := list.Map(fleet, func(o *machine) float64 { return o.level[x] })
		return 1 - f.of(1-m.level[x]/stat.Median(levels))
	}
	middle, passes := stat.Median(m.off[x]), 1.0
	for _, off := range m.off[x] {
		passes *= 1 - f.of(1-off/middle)
	}
	return passes
}

// asSlow is the share of healthy nodes that fail by any rule which finds as much as these in every world.
func (p *program) asSlow(s setup, all []found) float64 {
	shares := each(asSlowDraws/s.nodes, func(k int) float64 {
		fleet := p.lab.machines(rand.New(rand.NewPCG(60, uint64(k))), s, p.lab.benches)
		failed := 0.0
		for _, m := range fleet {
			passes := 1.0
			for _, f := range all {
				b := p.lab.named(f.benchmark)
				for i := range b.metrics {
					if x := &b.metrics[i]; f.measuredBy(x) {
						passes *= f.passes(fleet, m, x)
					}
				}
			}
			failed += 1 - passes
		}
		return failed / float64(len(fleet))
	})
	sum := 0.0
	for _, share := range shares {
		sum += share
	}
	return sum / float64(len(shares))
}

// asSlowTable prints how many healthy nodes no rule can pass that finds what Assay finds.
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
