package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// lived is the fleet of these tables.
var lived = setup{nodes: 8, gpus: 8, profile: true}

// fromWeek is when a fault begins that a node was not born with.
const fromWeek = 12

// lastingFaults prints by when a lasting fault of one of eight nodes is found.
func (p *program) lastingFaults() {
	fmt.Fprint(p.out, "### A lasting fault of one of 8 nodes\n\n| slow | from the first run on: found in it | by run 4 | by run 12 | since run 13: found in it | by the 4th | by the 12th |\n"+
		"|---|---|---|---|---|---|---|\n")
	for _, f := range faultsOf(p.only(fleetGoals)) {
		fmt.Fprintf(p.out, "| %s, %g%% |", f.name, 100*f.size)
		for _, from := range []int{0, fromWeek} {
			var by [3]tally
			for _, found := range each(p.trials, func(k int) int { return p.lab.weekFound(rand.New(rand.NewPCG(42, uint64(k))), lived, &f, from) }) {
				for i, weeks := range []int{1, 4, 12} {
					by[i].count(found <= weeks)
				}
			}
			for _, t := range by {
				fmt.Fprintf(p.out, " %.2f |", t.share())
			}
		}
		fmt.Fprintln(p.out)
	}
	fmt.Fprintln(p.out)
}

// weekFound is in which of its weeks a lasting fault is first found.
func (l *lab) weekFound(r *rand.Rand, s setup, f *fault, from int) int {
	y := newLife(l, r, s, []*bench{l.named(f.benchmark)})
	for week := 1 - from; week <= 12; week++ {
		faults := map[int]*fault{}
		if week > 0 {
			faults[0] = f
		}
		if rows := y.week(faults); week > 0 && len(rows[0][0].names(f)) > 0 {
			return week
		}
	}
	return never
}

// smallFleets prints what is found of nodes that can be compared with no others.
func (p *program) smallFleets() {
	fmt.Fprint(p.out, "### Nodes that nothing is compared with, since run 13\n\n| nodes x 8 GPUs | slow | found in run 13 | healthy nodes failed in a year, % |\n|---|---|---|---|\n")
	for _, nodes := range []int{1, 3} {
		for _, name := range []string{"NCCL all-reduce", "node, STREAM", "node, DGEMM", "node, HPL"} {
			f := faults[slices.IndexFunc(faults, func(f fault) bool { return f.name == name })]
			s := setup{nodes: nodes, gpus: 8}
			var failed tally
			for _, y := range each(p.trials, func(k int) healthyYear {
				return p.lab.healthyYear(rand.New(rand.NewPCG(44, uint64(k))), s, p.lab.named(f.benchmark))
			}) {
				failed = failed.plus(y.failed)
			}
			for _, size := range []float64{0.05, 0.20} {
				f.size = size
				var found tally
				for _, week := range each(p.trials, func(k int) int { return p.lab.weekFound(rand.New(rand.NewPCG(45, uint64(k))), s, &f, fromWeek) }) {
					found.count(week == 1)
				}
				fmt.Fprintf(p.out, "| %d | %s, %g%% | %.2f | %s |\n", nodes, name, 100*size, found.share(), failed.percent())
			}
		}
	}
	fmt.Fprintln(p.out)
}

// replace gpu0 of a machine by another healthy one.
func (y *life) replace(m *machine) {
	m.spare = true
	for x, off := range m.off {
		part, _ := y.spreadOf(x)
		for k, p := range y.parts[y.gpus][x.metric()] {
			if slices.Contains(p.gpus, 0) {
				off[k] = m.level[x] * (1 + part*y.lasting(y.Rand)) * y.slot(x, p)
			}
		}
	}
}

// replacedGPU prints how many healthy nodes fail once a GPU of theirs was replaced.
func (p *program) replacedGPU() {
	var failed tally
	for _, t := range each(max(1, p.trials/lived.nodes), func(k int) (t tally) {
		y := newLife(p.lab, rand.New(rand.NewPCG(46, uint64(k))), lived, p.lab.benches)
		once := make([]bool, lived.nodes)
		for week := range 2 * fromWeek {
			if week == fromWeek {
				for _, m := range y.machines {
					y.replace(m)
				}
			}
			for i, rows := range y.week(nil) {
				once[i] = once[i] || week >= fromWeek && len(failuresOf(y.benches, rows)) > 0
			}
		}
		for _, f := range once {
			t.count(f)
		}
		return t
	}) {
		failed = failed.plus(t)
	}
	fmt.Fprintf(p.out, "### gpu0 of all 8 nodes is replaced before run 13\n\nHealthy nodes that fail in one of the next 12 runs, %%: %s\n\n", failed.percent())
}
