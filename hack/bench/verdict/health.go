package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// health is what becomes of machines that have no fault.
type health struct {
	metrics           map[string]tally // failed, by metric
	gpuNodes          tally            // failed by any benchmark of GPUs
	cpuNodes          tally
	cleared           tally // benchmarks that passed only when measured again
	notJudged         tally // benchmarks without a verdict
	attempts, benches int
}

// ofCPU are the benchmarks that measure no GPU.
var ofCPU = map[string]bool{"stream": true, "dgemm": true, "hpl": true}

// add counts what a run made of its machines.
func (h *health) add(x *run, i int, b *bench, s settled) (failed bool) {
	h.attempts += len(s.attempts)
	h.benches++
	h.cleared.count(s.Verdict == v1alpha1.VerdictPass && s.Reason == v1alpha1.ReasonNotConfirmed)
	h.notJudged.count(s.Verdict != v1alpha1.VerdictPass && s.Verdict != v1alpha1.VerdictFail)
	for k := range b.metrics {
		name := b.metrics[k].title()
		t := h.metrics[name]
		t.count(s.broken(b.metrics[k].metric()))
		h.metrics[name] = t
	}
	if s.Verdict == v1alpha1.VerdictFail && explain {
		fmt.Fprintf(os.Stderr, "%s, %d nodes, %d GPUs: %s\n", x.machines[i].name, x.nodes, x.gpus, s.Message)
	}
	return s.Verdict == v1alpha1.VerdictFail
}

func (h *health) plus(o health) {
	for name, t := range o.metrics {
		h.metrics[name] = h.metrics[name].plus(t)
	}
	h.gpuNodes, h.cpuNodes = h.gpuNodes.plus(o.gpuNodes), h.cpuNodes.plus(o.cpuNodes)
	h.cleared, h.notJudged = h.cleared.plus(o.cleared), h.notJudged.plus(o.notJudged)
	h.attempts, h.benches = h.attempts+o.attempts, h.benches+o.benches
}

// healthOf measures healthy fleets until about so many nodes were judged.
func healthOf(l *lab, s setup, nodes int, seed uint64) health {
	sum := health{metrics: map[string]tally{}}
	for _, h := range each(max(1, nodes/s.nodes), func(k int) health {
		h := health{metrics: map[string]tally{}}
		x := newRun(l, rand.New(rand.NewPCG(seed, uint64(k))), s, l.benches)
		gpu, cpu := make([]bool, s.nodes), make([]bool, s.nodes)
		for _, b := range x.benches {
			f := x.fleet(b)
			for i := range x.machines {
				failed := h.add(x, i, b, x.settle(f, b, i, x.first[b][i], nil))
				if ofCPU[b.Name] {
					cpu[i] = cpu[i] || failed
				} else {
					gpu[i] = gpu[i] || failed
				}
			}
		}
		for i := range x.machines {
			h.gpuNodes.count(gpu[i])
			h.cpuNodes.count(cpu[i])
		}
		return h
	}) {
		sum.plus(h)
	}
	return sum
}

// healthTable prints false positives in percent: a column for each size of fleet.
func (p *program) healthTable(title string, s setup) {
	fmt.Fprintf(p.out, "### %s\n\n| failed of healthy, %% |", title)
	var columns []health
	for _, nodes := range fleetSizes {
		if s.nodes = nodes; s.past > 0 && nodes > 32 {
			continue
		}
		columns = append(columns, healthOf(p.lab, s, p.healthy/(1+s.past/2), uint64(1000*s.gpus+s.past)))
		fmt.Fprintf(p.out, " %d nodes |", nodes)
	}
	fmt.Fprint(p.out, "\n|---|")
	for range columns {
		fmt.Fprint(p.out, "---|")
	}
	fmt.Fprintln(p.out)
	for _, b := range p.lab.benches {
		for i := range b.metrics {
			name := b.metrics[i].title()
			line(p.out, name, columns, func(h health) string { return h.metrics[name].percent() })
		}
	}
	line(p.out, "**any GPU metric of a node**", columns, func(h health) string { return h.gpuNodes.percent() })
	line(p.out, "**any CPU metric of a node**", columns, func(h health) string { return h.cpuNodes.percent() })
	line(p.out, "attempts per benchmark", columns, func(h health) string { return fmt.Sprintf("%.3f", float64(h.attempts)/float64(h.benches)) })
	line(p.out, "suspect, then cleared", columns, func(h health) string { return h.cleared.percent() })
	line(p.out, "not judged", columns, func(h health) string { return fmt.Sprintf("%.1f", 100*h.notJudged.share()) })
	line(p.out, "nodes", columns, func(h health) string { return fmt.Sprint(h.gpuNodes.all) })
	fmt.Fprintln(p.out)
}

func line[T any](out io.Writer, name string, columns []T, cell func(T) string) {
	fmt.Fprintf(out, "| %s |", name)
	for _, c := range columns {
		fmt.Fprintf(out, " %s |", cell(c))
	}
	fmt.Fprintln(out)
}
