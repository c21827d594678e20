// Command verdict prints how often the verdicts are right, on fleets that are drawn from what real machines measured, with faults put
// into them. It judges with the packages that the controller judges with.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/test/testdata"
)

// program is what is printed, and how long it is worked on.
type program struct {
	out     io.Writer
	lab     *lab
	healthy int // nodes per setup without a fault
	trials  int // machines per setup, fault and size
	// fault restricts the tables of goals to faults whose names contain it.
	fault string
}

// explain prints every healthy node that fails (BENCH_EXPLAIN=1).
var explain = os.Getenv("BENCH_EXPLAIN") != ""

// fleetSizes: two and three nodes are not compared with each other, and find what one finds.
var fleetSizes = []int{1, 4, 8, 32, 128}

func main() {
	debug.SetGCPercent(400) // memory is plenty
	l, err := newLab(os.Getenv("BENCH_SUITE") == "quick")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	p := program{out: os.Stdout, lab: l, trials: 400, fault: os.Getenv("BENCH_FAULT")}
	if os.Getenv("BENCH_QUICK") != "" {
		p.trials = 20
	}
	if n, err := strconv.Atoi(os.Getenv("BENCH_TRIALS")); err == nil {
		p.trials = max(1, n)
	}
	p.healthy = 15 * p.trials
	if file := os.Getenv("CORPUS"); file != "" {
		if err := p.writeCorpus(file, os.Getenv("SEED"), os.Getenv("RECORDINGS")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	p.all(os.Getenv("BENCH_ONLY"))
}

// all prints everything, or the sections whose names begin with only.
func (p *program) all(only string) {
	bandwidth := testdata.Benchmark("mpibench")
	for _, s := range []struct {
		name  string
		write func()
	}{
		{"goals", func() {
			p.goalTable("Recall by the fleet or the node itself", fleetGoals, fleetSetups, "")
		}},
		{"goals-past", func() { p.goalTable("Recall by history alone", pastGoals, pastSetups, "Regression") }},
		{"bounds", func() {
			p.boundTable("What an oracle finds by the fleet or the node itself", fleetGoals, fleetSetups, false)
			p.boundTable("What an oracle finds by history alone", pastGoals, pastSetups, true)
			p.networkBounds(&bandwidth.Spec.Metrics[0])
		}},
		{"healthy", func() {
			p.healthTable("Healthy fleets, 8 GPUs a node", setup{gpus: 8})
			p.healthTable("Healthy fleets, 4 GPUs a node", setup{gpus: 4})
		}},
		{"healthy-past", func() {
			p.healthTable("Healthy fleets, 8 GPUs a node, 10 earlier runs, profile", setup{gpus: 8, past: 10, profile: true})
			p.healthTable("Healthy fleets, 4 GPUs a node, 5 earlier runs, 32 known nodes", setup{gpus: 4, past: 5, known: 32})
		}},
		{"worlds", func() { p.worldTable(8, []int{1, 8, 32}) }},
		{"as slow", func() { p.asSlowTable([]setup{{nodes: 1, gpus: 8}, {nodes: 8, gpus: 8}, {nodes: 32, gpus: 8}}) }},
		{"year", p.yearTable},
		{"lasting", p.lastingFaults},
		{"moving", p.movingFleet},
		{"small", p.smallFleets},
		{"replaced", p.replacedGPU},
		{"network", func() { p.networkTable(&bandwidth.Spec.Metrics[0]) }},
		{"stories", func() {
			for _, story := range []func(){p.partOfFleet, p.populations, p.lasting, p.drifting, p.quiet} {
				story()
			}
		}},
		{"intermittent", p.intermittent},
		{"recall", func() {
			for _, s := range recallSetups {
				p.recallTable(s)
			}
		}},
		{"static", func() { p.staticTable(8) }},
	} {
		if strings.HasPrefix(s.name, only) {
			began := time.Now()
			fmt.Fprintf(p.out, "## %s\n\n", strings.ToUpper(s.name[:1])+s.name[1:])
			s.write()
			fmt.Fprintf(p.out, "%.0f s.\n\n", time.Since(began).Seconds())
		}
	}
}

var recallSetups = []setup{
	{nodes: 1, gpus: 4}, {nodes: 1, gpus: 8}, {nodes: 4, gpus: 8}, {nodes: 8, gpus: 8}, {nodes: 32, gpus: 8},
	{nodes: 128, gpus: 8}, {nodes: 1, gpus: 8, profile: true}, {nodes: 1, gpus: 8, known: 32}, {nodes: 1, gpus: 8, past: 10},
}

// each does jobs on all cores; the results are in the order of the jobs.
func each[T any](n int, job func(i int) T) []T {
	out, next := make([]T, n), make(chan int)
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := range next {
				out[i] = job(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
	return out
}
