// Command verdict prints how often the verdicts are right, on fleets that are drawn from what real machines measured, with faults put
// into them. It judges with the packages that the controller judges with.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"

	"sigs.k8s.io/yaml"
)

// program is what is printed, and how long it is worked on.
type program struct {
	out     io.Writer
	lab     *lab
	healthy int // nodes per setup without a fault
	trials  int // machines per setup, fault and size
	healths map[setup]health
	scores  map[cell]score
}

// explain prints every healthy node that fails (VERDICT_EXPLAIN=1).
var explain = os.Getenv("VERDICT_EXPLAIN") != ""

var fleetSizes = []int{1, 2, 4, 8, 32, 128}

func main() {
	l, err := newLab(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	p := program{out: os.Stdout, lab: l, healthy: 6000, trials: 400, healths: map[setup]health{}, scores: map[cell]score{}}
	if os.Getenv("BENCH_QUICK") != "" {
		p.healthy, p.trials = 512, 40
	}
	p.all()
}

func (p *program) all() {
	p.healthTable("Healthy fleets of 8 GPUs a node", 8, 0, false, 0)
	p.healthTable("Healthy fleets of 4 GPUs a node", 4, 0, false, 0)
	p.healthTable("Healthy fleets of 8 GPUs a node, 10 earlier runs, profile", 8, 10, true, 0)
	p.healthTable("Healthy fleets of 4 GPUs a node, 5 earlier runs, 32 known nodes", 4, 5, false, 32)
	for _, s := range recallSetups {
		p.recallTable(s)
	}
}

var recallSetups = []setup{
	{nodes: 1, gpus: 4}, {nodes: 1, gpus: 8}, {nodes: 2, gpus: 4}, {nodes: 2, gpus: 8}, {nodes: 4, gpus: 8}, {nodes: 8, gpus: 8}, {nodes: 32, gpus: 8},
	{nodes: 128, gpus: 8}, {nodes: 1, gpus: 8, profile: true}, {nodes: 1, gpus: 8, known: 32}, {nodes: 1, gpus: 8, past: 5}, {nodes: 1, gpus: 8, past: 10},
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

func readYAML(name string, into any) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := yaml.UnmarshalStrict(text, into); err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	return nil
}
