package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// life of a fleet: all of its nodes are measured once a week, and what is found has consequences.
type life struct {
	*run
	nodes []taint.Current
	limit int  // of nodes that may carry the taint
	open  bool // the breaker, in the last run
}

const weeksOfYear = 52

// newLife of a fleet that nothing is known of.
func newLife(l *lab, r *rand.Rand, s setup, benches []*bench) *life {
	y := &life{run: newRun(l, r, s, benches), limit: taint.Limit(nil, s.nodes)}
	for _, m := range y.machines {
		node := &corev1.Node{}
		node.Name, node.UID = m.name, m.uid
		y.nodes = append(y.nodes, taint.Current{Node: node})
	}
	return y
}

// week measures all nodes once, judges them, and does to each what the verdict asks for.
func (y *life) week(faults map[int]*fault) [][]settled {
	y.known = map[*bench][]fleet.Digest{}
	for _, b := range y.benches {
		if y.number > 0 {
			y.known[b] = remembered(b, y.past)
		}
	}
	y.measureAll(faults)
	rows := y.judge(faults)
	judged, in := make([]taint.Judgement, len(rows)), taint.BreakerInput{Nodes: len(rows), Limit: y.limit}
	for i, m := range y.machines {
		judged[i] = judgementOf(m, y.number, y.benches, rows[i])
		in.Judged = append(in.Judged, taint.JudgedNode{Name: m.name, Verdict: judged[i].Verdict, Failures: failuresOf(y.benches, rows[i]), Tainted: y.nodes[i].Tainted()})
	}
	y.open, _ = taint.Breaker(in)
	for i := range judged {
		judged[i].BreakerOpen = y.open
		y.nodes[i] = y.follow(judged[i], y.nodes[i])
		y.past[i] = nodevalidation.Known{Validation: y.nodes[i].Validation, History: y.nodes[i].History}
	}
	y.number++
	return rows
}

// follow a judgement, as the controller does.
func (y *life) follow(j taint.Judgement, c taint.Current) taint.Current {
	next := j.Next(c)
	switch {
	case next.Action == taint.Lift:
		next = j.Lifted(c)
	case next.Action == taint.AddTaint && !c.Tainted() && y.tainted() >= y.limit:
		next = j.Spent(c, "")
	case next.Action == taint.AddTaint:
		next = j.Quarantine(c, func(corev1.Taint) bool { return true })
	}
	c.Validation, c.History = next.Validation, cmp.Or(next.History, c.History)
	switch next.Action {
	case taint.AddTaint:
		c.Validation = j.Announced(next, j.Run.UID)
		c.Node, _ = taint.Bind(c.Node, c.Validation.Quarantine)
	case taint.Lift:
		c.Node, _ = taint.Free(c.Node, taint.MarkOn(c.Node))
	}
	return c
}

// tainted nodes, so many.
func (y *life) tainted() (n int) {
	for _, c := range y.nodes {
		if c.Tainted() {
			n++
		}
	}
	return n
}

// causes of a failure: "gemm fp64 Regression".
func (s *settled) causes(b *bench) (all []string) {
	if s.Verdict != v1alpha1.VerdictFail {
		return nil
	}
	for _, f := range s.Findings {
		if cause := b.Name + " " + f.Metric + " " + f.Rule; f.Verdict == v1alpha1.VerdictFail && !slices.Contains(all, cause) {
			all = append(all, cause)
		}
	}
	return all
}

func failuresOf(benches []*bench, rows []settled) (all []string) {
	for i, b := range benches {
		all = append(all, rows[i].causes(b)...)
	}
	return all
}

// healthyYear is what a year makes of healthy nodes.
type healthyYear struct {
	failed, tainted tally // nodes, at least once
	runs            tally // of a node, that failed it
	causes          map[string]int
}

func (p *program) yearOf(s setup, fleets int) (sum healthyYear) {
	sum.causes = map[string]int{}
	benches := slices.DeleteFunc(slices.Clone(p.lab.benches), func(b *bench) bool { return !strings.Contains(b.Name, p.fault) })
	for _, y := range each(fleets, func(k int) healthyYear {
		return p.lab.healthyYear(rand.New(rand.NewPCG(41, uint64(k))), s, benches...)
	}) {
		sum.failed, sum.tainted, sum.runs = sum.failed.plus(y.failed), sum.tainted.plus(y.tainted), sum.runs.plus(y.runs)
		for c, n := range y.causes {
			sum.causes[c] += n
		}
	}
	return sum
}

func (l *lab) healthyYear(r *rand.Rand, s setup, benches ...*bench) healthyYear {
	out, y := healthyYear{causes: map[string]int{}}, newLife(l, r, s, benches)
	failed, tainted := make([]map[string]bool, s.nodes), make([]bool, s.nodes)
	for week := range weeksOfYear {
		for i, rows := range y.week(nil) {
			causes := failuresOf(y.benches, rows)
			out.runs.count(len(causes) > 0)
			for _, c := range causes {
				if failed[i] == nil {
					failed[i] = map[string]bool{}
					if explain {
						fmt.Fprintf(os.Stderr, "week %d, %s: %s\n", week+1, y.machines[i].name, strings.Join(causes, ", "))
					}
				}
				failed[i][c] = true
			}
			tainted[i] = tainted[i] || y.nodes[i].Tainted()
		}
	}
	for i := range failed {
		out.failed.count(failed[i] != nil)
		out.tainted.count(tainted[i])
		for c := range failed[i] {
			out.causes[c]++
		}
	}
	return out
}

// yearTable prints, by all benchmarks, or those whose names contain BENCH_FAULT, how many healthy nodes a year of weekly runs taints.
func (p *program) yearTable() {
	fmt.Fprintf(p.out, "### A healthy year, %d runs\n\n| fleet | nodes tainted at least once, %% | nodes failed at least once, %% | runs of a node failed, %% | nodes failed by |\n"+
		"|---|---|---|---|---|\n", weeksOfYear)
	for _, s := range []setup{{nodes: 8, gpus: 8, profile: true}, {nodes: 32, gpus: 8, profile: true}} {
		y := p.yearOf(s, max(1, p.healthy/s.nodes))
		causes := sortedKeys(y.causes)
		slices.SortStableFunc(causes, func(a, b string) int { return y.causes[b] - y.causes[a] })
		for i, c := range causes {
			causes[i] = fmt.Sprintf("%s: %d", c, y.causes[c])
		}
		fmt.Fprintf(p.out, "| %s | %s | %s | %s | %s |\n", s, y.tainted.percent(), y.failed.percent(), y.runs.percent(), strings.Join(causes, ", "))
	}
	fmt.Fprintln(p.out)
}

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

// movingFleet prints what becomes of a fleet of which every node loses the same, as by a driver, and of one node in it that loses more.
func (p *program) movingFleet() {
	fmt.Fprint(p.out, "### All of 8 nodes lose the same since run 13, and the first node one part more\n\n"+
		"| all nodes | beside that, the first | other nodes failed in run 13, % | in run 24, % | the first found in run 13 | in run 24 | runs with an open breaker, % |\n|---|---|---|---|---|---|---|\n")
	for _, c := range []struct {
		all  fault
		more fault
	}{
		{fault{benchmark: "gpustream", where: onNode, size: 0.01}, fault{name: "one GPU, HBM", metrics: []string{"hbmTriad"}, size: 0.01}},
		{fault{benchmark: "gemm", where: onNode, size: 0.02}, fault{name: "one GPU, fp32", metrics: []string{"fp32"}, size: 0.03}},
		{fault{benchmark: "gemm", where: onNode, size: 0.05}, fault{name: "one GPU, fp16", metrics: []string{"fp16"}, size: 0.03}},
		{fault{benchmark: "dgemm", where: onNode, size: 0.05}, fault{name: "node, DGEMM", where: onNode, size: 0.05}},
	} {
		c.more.benchmark = c.all.benchmark
		var failed, found [2]tally
		var open tally
		for _, m := range each(p.trials, func(k int) moved { return p.lab.move(rand.New(rand.NewPCG(43, uint64(k))), &c.all, &c.more) }) {
			for i := range failed {
				failed[i], found[i] = failed[i].plus(m.failed[i]), found[i].plus(m.found[i])
			}
			open = open.plus(m.open)
		}
		fmt.Fprintf(p.out, "| %s %g%% | %s %g%% | %s | %s | %.2f | %.2f | %s |\n", c.all.benchmark, 100*c.all.size, c.more.name, 100*c.more.size,
			failed[0].percent(), failed[1].percent(), found[0].share(), found[1].share(), open.percent())
	}
	fmt.Fprintln(p.out)
}

// moved is what became of a fleet that moved, in the first week and twelve weeks later.
type moved struct {
	failed, found [2]tally
	open          tally
}

// lose makes all nodes worse for good.
func (y *life) lose(f *fault) {
	for _, m := range y.machines {
		for x, off := range m.off {
			for k, part := range y.parts[y.gpus][x.metric()] {
				if f.hits(x, part) {
					off[k] *= 1 - f.size
				}
			}
		}
	}
}

func (l *lab) move(r *rand.Rand, all, more *fault) (out moved) {
	y := newLife(l, r, lived, []*bench{l.named(all.benchmark)})
	for week := range 2 * fromWeek {
		if week < fromWeek {
			y.week(nil)
			continue
		}
		if week == fromWeek {
			y.lose(all)
		}
		rows := y.week(map[int]*fault{0: more})
		out.open.count(y.open)
		for i, at := range []int{fromWeek, 2*fromWeek - 1} {
			if week != at {
				continue
			}
			out.found[i].count(len(rows[0][0].names(more)) > 0)
			for _, row := range rows[1:] {
				out.failed[i].count(row[0].Verdict == v1alpha1.VerdictFail)
			}
		}
	}
	return out
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
