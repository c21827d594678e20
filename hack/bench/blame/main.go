// Command blame prints how often blame is right on simulated fleets, by how many rounds and pairs, against measuring all
// pairs, and what planning costs.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"
	"time"

	"github.com/assay-dev/assay/hack/bench/blame/simulate"
	"github.com/assay-dev/assay/internal/judge/blame"
)

type row struct {
	name  string
	world simulate.World
	o     blame.Options
	// fleet is about how many nodes all repetitions have together; 0: 8192.
	fleet int
}

// shipped is what a run takes from the catalogue for the bandwidth of mpibench.
var shipped = blame.Options{Confirmations: 1, NoiseFloor: 0.01, Between: 0.005, MinEffect: 0.025}

// with other settings than those that are shipped.
func with(change func(*blame.Options)) blame.Options {
	o := shipped
	change(&o)
	return o
}

func main() {
	out := os.Stdout
	fmt.Fprintln(out, "| fleet | nodes | fleets | rounds | pairs measured | of all pairs | node precision | node recall | link precision | link recall of those measured | place recall |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|---|---|---|")
	for _, r := range rows() {
		print1(out, r)
	}
	fmt.Fprintln(out)
	planning(out)
}

func rows() []row {
	var rows []row
	for _, n := range []int{8, 32, 128, 512, 4096} {
		rows = append(rows, row{name: "10% slow: 2% of nodes, 2% of links", world: mixed(n, 0.02, 0.10, 0.10)})
	}
	for _, n := range []int{8, 32, 128} {
		rare := mixed(n, 0, 0.10, 0.10)
		rare.SlowLinks = 1 / float64(n*(n-1)/2)
		rows = append(rows, row{name: "10% slow: one link, no node, on average", world: rare, fleet: 32768})
	}
	for _, n := range []int{32, 128} {
		rows = append(rows, row{name: "the same, all pairs first", world: mixed(n, 0.02, 0.10, 0.10),
			o: with(func(o *blame.Options) { o.Rounds, o.MaxRounds = n-1, n+5 }), fleet: 512})
	}
	healthy := mixed(4096, 0, 0, 0)
	missing := mixed(1024, 0.02, 0.10, 0.10)
	missing.Missing = 0.05
	quiet := mixed(1024, 0.02, 0.10, 0.10)
	quiet.Noise = 0.005
	directed := mixed(1024, 0.02, 0.10, 0.10)
	directed.Directed = true
	leaf := mixed(1024, 0, 0.20, 0.20)
	leaf.SlowPlaces = 2
	for _, spread := range []float64{0.005, 0.01} {
		for _, n := range []int{4, 8, 32} {
			apart := mixed(n, 0, 0, 0)
			apart.Spread = spread
			rows = append(rows, row{name: fmt.Sprintf("healthy, nodes differ by %g%%", 100*spread), world: apart, fleet: 16384})
		}
	}
	for _, noise := range []float64{0.01, 0.02, 0.04} {
		for _, n := range []int{4, 8, 16, 32} {
			noisy := mixed(n, 0, 0, 0)
			noisy.Noise = noise
			rows = append(rows, row{name: fmt.Sprintf("healthy, noise %.0f%%", 100*noise), world: noisy, fleet: 16384})
		}
	}
	return append(rows,
		row{name: "healthy", world: healthy},
		row{name: "5 to 50% slow: 5% of nodes, 5% of links", world: mixed(1024, 0.05, 0.05, 0.50)},
		row{name: "10% slow, 5% of measurements missing", world: missing},
		row{name: "10% slow, noise 0.5%", world: quiet},
		row{name: "10% slow in sending only, both directions measured", world: directed},
		row{name: "2 leaf switches slow by 20%", world: leaf},
		row{name: "5% slow", world: mixed(1024, 0.02, 0.05, 0.05)},
		row{name: "5% slow, 10 rounds", world: mixed(1024, 0.02, 0.05, 0.05), o: with(func(o *blame.Options) { o.Rounds, o.MaxRounds = 6, 10 })},
		row{name: "3% slow", world: mixed(1024, 0.02, 0.03, 0.03)},
	)
}

// mixed is a fleet in places of 16 with 1% noise and 0.3% between healthy nodes.
func mixed(n int, share, least, most float64) simulate.World {
	w := simulate.World{Nodes: n, PlaceSize: 16, Noise: 0.01, Spread: 0.003, SlowNodes: share, SlowLinks: share, Least: least, Most: most}
	if n < 48 {
		w.PlaceSize, w.SlowNodes = 4, 1/float64(n)
		if share == 0 {
			w.SlowNodes = 0
		}
	}
	return w
}

func print1(out io.Writer, r row) {
	if r.fleet == 0 {
		r.fleet = 8192
	}
	if r.o == (blame.Options{}) {
		r.o = shipped
	}
	var sum simulate.Score
	fleets := max(1, r.fleet/r.world.Nodes)
	for seed := range fleets {
		r.world.Seed = uint64(seed + 1)
		sum.Add(simulate.Run(r.world, r.o))
	}
	place := "-"
	if r.world.SlowPlaces > 0 {
		place = fmt.Sprintf("%.3f", sum.Places.Recall())
	}
	fmt.Fprintf(out, "| %s | %d | %d | %d | %d | %.1f%% | %s | %s | %s | %s | %s |\n", r.name, r.world.Nodes, fleets, sum.Rounds,
		sum.Measured/fleets, 100*float64(sum.Different)/float64(sum.AllPairs), of(sum.Nodes.Precision(), sum.Nodes.Found, sum.Nodes.Wrong),
		of(sum.Nodes.Recall(), sum.Nodes.Found, sum.Nodes.Missed), of(sum.Links.Precision(), sum.Links.Found, sum.Links.Wrong),
		of(sum.Links.Recall(), sum.Links.Found, sum.Links.Missed), place)
}

// of shows a share and how many it is of; of none that are right, how many are wrong.
func of(share float64, yes, no int) string {
	switch {
	case yes+no == 0:
		return "-"
	case yes == 0:
		return fmt.Sprintf("- (%d wrong)", no)
	}
	return fmt.Sprintf("%.4f (%d of %d)", share, yes, yes+no)
}

// planning prints what one call of Next costs after four rounds, which is when it has most to do.
func planning(out io.Writer) {
	fmt.Fprintln(out, "| nodes | CPU of Next after 4 rounds | allocated | CPU of Judge |")
	fmt.Fprintln(out, "|---|---|---|---|")
	for _, n := range []int{512, 1024, 2048, 4096} {
		w := mixed(n, 0.02, 0.10, 0.10)
		nodes, measurements := w.List(), simulate.Rounds(w, shipped, 4)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := cpu()
		blame.Next(nodes, measurements, shipped)
		next := cpu() - start
		runtime.ReadMemStats(&after)
		start = cpu()
		blame.Judge(nodes, measurements, shipped)
		judge := cpu() - start
		fmt.Fprintf(out, "| %d | %d ms | %d KB | %d ms |\n", n, next.Milliseconds(), (after.TotalAlloc-before.TotalAlloc)/1000, judge.Milliseconds())
	}
}

// cpu time of this process so far.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
