package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
)

// Rules that only warn, as findings carry them.
const (
	ruleDrift    = "Drift"
	ruleUnstable = "Unstable"
)

// weekly runs a benchmark on one node of 8 GPUs once a week; faultIn gives the fault of a week, nil for none. visit sees every week. What has one
// part per node needs other nodes to be judged at all.
func (l *lab) weekly(r *rand.Rand, benchmark string, weeks int, faultIn func(week int) *fault, visit func(week int, s settled, past nodevalidation.Known)) {
	x := newRun(l, r, setup{nodes: 1, gpus: 8}, []*bench{l.named(benchmark)})
	if ofCPU[benchmark] || benchmark == "collectives" {
		x.know(neighbours)
	}
	for week := range weeks {
		x.number = week
		faults := map[int]*fault{0: faultIn(week)}
		x.measureAll(faults)
		s := x.conclude(faults)[0][0]
		visit(week, s, x.past[0])
	}
}

// settledIn is how many healthy weeks come before a fault.
const settledIn = 8

// lasting: a node loses a little for good, and only its past can tell. It must fail for as long as it is slow.
func (p *program) lasting() {
	fmt.Fprint(p.out, "### A lasting loss that only the past sees, one node of 8 GPUs\n\n| slow since week 9 | failed in week 9 | in week 20 | in week 40 |\n|---|---|---|---|\n")
	for _, f := range []fault{
		{name: "whole node, HBM, 1.5%", benchmark: "gpustream", where: onNode, size: 0.015},
		{name: "whole node, fp64, 5%", benchmark: "gemm", metrics: []string{"fp64"}, where: onNode, size: 0.05},
		{name: "whole node, links, 1%", benchmark: "p2p", where: onNode, size: 0.01},
	} {
		var at [3]tally
		for _, weeks := range each(max(10, p.trials/10), func(k int) []bool {
			var failed []bool
			p.lab.weekly(rand.New(rand.NewPCG(34, uint64(k))), f.benchmark, 40, since(settledIn, &f), func(_ int, s settled, _ nodevalidation.Known) {
				failed = append(failed, s.Verdict == v1alpha1.VerdictFail)
			})
			return failed
		}) {
			for i, week := range []int{8, 19, 39} {
				at[i].count(weeks[week])
			}
		}
		fmt.Fprintf(p.out, "| %s | %s | %s | %s |\n", f.name, at[0].recall(), at[1].recall(), at[2].recall())
	}
	fmt.Fprintln(p.out)
}

func since(week int, f *fault) func(int) *fault {
	return func(w int) *fault {
		if w < week {
			return nil
		}
		return f
	}
}

// drifting: a part loses 0.2% more every week.
func (p *program) drifting() {
	fmt.Fprint(p.out, "### A GPU loses 0.2% a week, one node of 8 GPUs\n\n"+
		"| what | weeks until it is named, median | at the latest | lost by then | never in 40 weeks |\n|---|---|---|---|---|\n")
	for _, f := range []fault{
		{name: "HBM", benchmark: "gpustream", metrics: []string{"hbmTriad"}}, {name: "links", benchmark: "p2p", where: onLinks},
		{name: "fp32", benchmark: "gemm", metrics: []string{"fp32"}}, {name: "fp64", benchmark: "gemm", metrics: []string{"fp64"}},
		{name: "fp16", benchmark: "gemm", metrics: []string{"fp16"}}, {name: "STREAM of a node", benchmark: "stream", where: onNode},
	} {
		weeks := each(max(10, p.trials/4), func(k int) int { return p.weeksToName(rand.New(rand.NewPCG(35, uint64(k))), f) })
		slices.Sort(weeks)
		late, _ := slices.BinarySearch(weeks, never)
		at := weeks[len(weeks)-1]
		fmt.Fprintf(p.out, "| %s | %s | %s | %s | %d of %d |\n", f.name, weekText(weeks[len(weeks)/2]), weekText(at), lostBy(at), len(weeks)-late, len(weeks))
	}
	fmt.Fprintln(p.out)
}

const never = 1000

func weekText(weeks int) string {
	if weeks == never {
		return "never"
	}
	return fmt.Sprint(weeks)
}

func lostBy(weeks int) string {
	if weeks == never {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 0.2*float64(weeks))
}

// weeksToName: named is a warning of drift or a failure.
func (p *program) weeksToName(r *rand.Rand, f fault) int {
	named := never
	p.lab.weekly(r, f.benchmark, settledIn+40, func(week int) *fault {
		if week < settledIn {
			return nil
		}
		now := f
		now.size = 0.002 * float64(week-settledIn+1)
		return &now
	}, func(week int, s settled, past nodevalidation.Known) {
		if week >= settledIn && named == never && (s.Verdict == v1alpha1.VerdictFail || warned(past, ruleDrift)) {
			named = week - settledIn + 1
		}
	})
	return named
}

// intermittent: a part is slow in some of all measurements.
func (p *program) intermittent() {
	fmt.Fprint(p.out, "### A GPU is slow in some measurements, one node of 8 GPUs, 20 runs\n\n"+
		"| slow | of all measurements | convicted in a run | cleared in a run | unseen in a run | convicted by run 4 | by run 20 | called unstable by run 20 |\n|---|---|---|---|---|---|---|---|\n")
	for _, chance := range []float64{1. / 3, 0.7, 0.9} {
		for _, f := range []fault{
			{name: "HBM, 10%", benchmark: "gpustream", metrics: []string{"hbmTriad"}, size: 0.10, chance: chance},
			{name: "a link, 10%", benchmark: "p2p", where: onLink, size: 0.10, chance: chance},
			{name: "fp32, 10%", benchmark: "gemm", metrics: []string{"fp32"}, size: 0.10, chance: chance},
		} {
			var sum [5]tally
			for _, t := range each(max(10, p.trials/10), func(k int) [5]tally { return p.lab.onAndOff(rand.New(rand.NewPCG(36, uint64(k))), &f) }) {
				for i := range sum {
					sum[i] = sum[i].plus(t[i])
				}
			}
			fmt.Fprintf(p.out, "| %s | %.2f | %s | %s | %.2f | %s | %s | %s |\n", f.name, chance, sum[0].recall(), sum[1].recall(), 1-sum[0].share()-sum[1].share(),
				sum[2].recall(), sum[3].recall(), sum[4].recall())
		}
	}
	fmt.Fprintln(p.out)
}

// onAndOff counts runs that convict, and that clear; and whether one convicted by run 4 and by run 20, and whether the part is called unstable then.
func (l *lab) onAndOff(r *rand.Rand, f *fault) (out [5]tally) {
	const runs, soon = 20, 4
	found := never
	var last nodevalidation.Known
	l.weekly(r, f.benchmark, runs, since(0, f), func(week int, s settled, past nodevalidation.Known) {
		out[0].count(s.Verdict == v1alpha1.VerdictFail)
		out[1].count(s.Verdict == v1alpha1.VerdictPass && s.Reason == v1alpha1.ReasonNotConfirmed)
		if s.Verdict == v1alpha1.VerdictFail {
			found = min(found, week+1)
		}
		last = past
	})
	out[2].count(found <= soon)
	out[3].count(found <= runs)
	out[4].count(warned(last, ruleUnstable))
	return out
}

// quiet: a year of healthy weeks warns of nothing.
func (p *program) quiet() {
	fmt.Fprint(p.out, "### A healthy year, one node of 8 GPUs, 52 runs\n\n| benchmark | years with a warning of drift, % | of instability, % | runs that failed, % |\n|---|---|---|---|\n")
	for _, b := range p.lab.benches {
		var sum [3]tally
		for _, t := range each(max(10, p.trials/4), func(k int) [3]tally {
			var out [3]tally
			drift, unstable := false, false
			p.lab.weekly(rand.New(rand.NewPCG(37, uint64(k))), b.Name, 52, func(int) *fault { return nil }, func(_ int, s settled, past nodevalidation.Known) {
				drift, unstable = drift || warned(past, ruleDrift), unstable || warned(past, ruleUnstable)
				out[2].count(s.Verdict == v1alpha1.VerdictFail)
			})
			out[0].count(drift)
			out[1].count(unstable)
			return out
		}) {
			for i := range sum {
				sum[i] = sum[i].plus(t[i])
			}
		}
		fmt.Fprintf(p.out, "| %s | %s | %s | %s |\n", b.Name, sum[0].percent(), sum[1].percent(), sum[2].percent())
	}
	fmt.Fprintln(p.out)
}
