package main

import (
	"fmt"
	"math/rand/v2"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// movement of a fleet, before run 13.
type movement struct {
	// all nodes lose it, or only the last so many; the first loses more beside that.
	all, more fault
	nodes     int
	// gained before run 3, ten weeks long, is what they lose.
	gained bool
	// accepted: somebody says from run 14 on, after one look, that the loss may be.
	accepted bool
}

// movingFleet prints what becomes of a fleet of which every node, or half of them, loses the same, as by a driver, and of one node in it that
// loses more.
func (p *program) movingFleet() {
	fmt.Fprint(p.out, "### Nodes lose the same since run 13, and the first of all 8 one part more\n\n"+
		"| lose | beside that, the first | others failed in run 13, % | in run 14 | in run 24 | the first found in run 13 | in run 14 | in run 24 | runs with an open breaker, % |\n"+
		"|---|---|---|---|---|---|---|---|---|\n")
	memory := movement{all: fault{benchmark: "gpustream", where: onNode, size: 0.01}, more: fault{name: "one GPU, HBM", metrics: []string{"hbmTriad"}, size: 0.01}, nodes: 8}
	gemm := movement{all: fault{benchmark: "gemm", where: onNode, size: 0.02}, more: fault{name: "one GPU, fp32", metrics: []string{"fp32"}, size: 0.03}, nodes: 8}
	fp16 := movement{all: fault{benchmark: "gemm", where: onNode, size: 0.05}, more: fault{name: "one GPU, fp16", metrics: []string{"fp16"}, size: 0.03}, nodes: 8}
	dgemm := movement{all: fault{benchmark: "dgemm", where: onNode, size: 0.05}, more: fault{name: "node, DGEMM", where: onNode, size: 0.05}, nodes: 8}
	all := []movement{memory, gemm, fp16, dgemm}
	memory.all.size = 0.02
	for _, m := range []movement{memory, dgemm} {
		m.gained = true
		all = append(all, m)
	}
	memory.all.size, dgemm.all.size = 0.01, 0.02
	for _, m := range []movement{memory, dgemm} {
		for _, gained := range []bool{false, true} {
			for _, accepted := range []bool{false, true} {
				m.nodes, m.gained, m.accepted = 4, gained, accepted
				all = append(all, m)
			}
		}
	}
	for _, c := range all {
		p.movingRow(c)
	}
	fmt.Fprintln(p.out)
}

func (p *program) movingRow(c movement) {
	c.more.benchmark = c.all.benchmark
	var sum moved
	for _, m := range each(p.trials, func(k int) moved { return p.lab.move(rand.New(rand.NewPCG(43, uint64(k))), c) }) {
		for i := range m.failed {
			sum.failed[i], sum.found[i] = sum.failed[i].plus(m.failed[i]), sum.found[i].plus(m.found[i])
		}
		sum.open = sum.open.plus(m.open)
	}
	what := fmt.Sprintf("%d nodes, %s %g%%", c.nodes, c.all.benchmark, 100*c.all.size)
	if c.gained {
		what += ", gained ten weeks before"
	}
	if c.accepted {
		what += ", accepted after run 13"
	}
	fmt.Fprintf(p.out, "| %s | %s %g%% | %s | %s | %s | %.2f | %.2f | %.2f | %s |\n", what, c.more.name, 100*c.more.size,
		sum.failed[0].percent(), sum.failed[1].percent(), sum.failed[2].percent(), sum.found[0].share(), sum.found[1].share(), sum.found[2].share(), sum.open.percent())
}

// looks at a fleet that moved: as it moves, a week later and after twelve weeks.
var looks = [3]int{fromWeek, fromWeek + 1, 2*fromWeek - 1}

// moved is what became of a fleet at each look.
type moved struct {
	failed, found [len(looks)]tally
	open          tally
}

// lose makes nodes worse for good, by a factor.
func (y *life) lose(machines []*machine, f *fault, factor float64) {
	for _, m := range machines {
		for x, off := range m.off {
			for k, part := range y.parts[y.gpus][x.metric()] {
				if f.hits(x, part) {
					off[k] *= factor
				}
			}
		}
	}
}

func (l *lab) move(r *rand.Rand, c movement) (out moved) {
	y := newLife(l, r, lived, []*bench{l.named(c.all.benchmark)})
	moving := y.machines[len(y.machines)-c.nodes:]
	for week := range 2 * fromWeek {
		switch {
		case week == fromWeek-10 && c.gained:
			y.lose(moving, &c.all, 1/(1-c.all.size))
		case week == fromWeek:
			y.lose(moving, &c.all, 1-c.all.size)
		case week == fromWeek+1 && c.accepted:
			_, since := judgedIn(fromWeek)
			y.accepted = []v1alpha1.AcceptedLoss{{Benchmark: c.all.benchmark, Since: metav1.NewTime(since.AddDate(0, 0, -3)), Loss: v1alpha1.Fraction(fmt.Sprint(c.all.size)), Reason: "driver"}}
		}
		if week < fromWeek {
			y.week(nil)
			continue
		}
		rows := y.week(map[int]*fault{0: &c.more})
		out.open.count(y.open)
		for i, at := range looks {
			if week != at {
				continue
			}
			out.found[i].count(len(rows[0][0].names(&c.more)) > 0)
			for _, row := range rows[1:] {
				out.failed[i].count(row[0].Verdict == v1alpha1.VerdictFail)
			}
		}
	}
	return out
}
