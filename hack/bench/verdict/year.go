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
	benches := slices.DeleteFunc(slices.Clone(p.lab.benches), func(b *bench) bool { return b.Name == "p2p" || !strings.Contains(b.Name, p.fault) })
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
						fmt.Fprintf(os.Stderr, "week %d, %s: %s\n", week+1, y.machines[i].name, y.nodes[i].Validation.Message)
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

// yearTable prints, by all benchmarks but p2p, which takes as long as all others and failed nobody, or those whose names contain BENCH_FAULT, how many healthy nodes a year of weekly runs taints.
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
