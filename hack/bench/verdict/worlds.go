package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

// nature is how healthy hardware differs from what the catalogue claims of it. The zero value is the recorded one.
type nature struct {
	name string
	// wider: healthy parts and nodes differ by so many times what the catalogue claims, and runs by so many times what was recorded; 0: as recorded.
	wider float64
	// tails: what lasts is drawn from Student's t with so many degrees of freedom, of the same variance; 0: from a normal distribution.
	tails int
	// slots: some places in a node are slower by design, in every node.
	slots bool
	// alike: the correlation of the noise of attempts of one run.
	alike float64
	// neighbours: the share of nodes on whose host somebody else takes processor and host links while they are measured.
	neighbours float64
}

// natures in which a claim is wrong.
var natures = []nature{
	{name: "as recorded"},
	{name: "1.5 x the claim", wider: 1.5},
	{name: "2 x the claim", wider: 2},
	{name: "tails of t10", tails: 10},
	{name: "tails of t5", tails: 5},
	{name: "tails of t3", tails: 3},
	{name: "slots by design", slots: true},
	{name: "attempts alike (0.8)", alike: 0.8},
	{name: "a neighbour on 5% of hosts", neighbours: 0.05},
}

// spreadOf a metric: the standard deviations of what lasts.
func (w nature) spreadOf(x *metricModel) (part, node float64) {
	if w.wider == 0 {
		return x.part, x.spread.node
	}
	claimed := func(text string) float64 { v, _ := quantity.ParseDecimal(text); return v }
	return w.wider * claimed(string(x.Noise.Part)), w.wider * claimed(string(x.Noise.Node))
}

// lasting draws with a standard deviation of 1.
func (w nature) lasting(r *rand.Rand) float64 {
	if w.tails == 0 {
		return r.NormFloat64()
	}
	chi := 0.0
	for range w.tails {
		v := r.NormFloat64()
		chi += v * v
	}
	return r.NormFloat64() / math.Sqrt(chi/float64(w.tails-2))
}

const (
	// powerSlot is what gpu7 reaches of the others at the power limit, and linkSlot what the host links of gpu0 and gpu4 do.
	powerSlot = 0.96
	linkSlot  = 0.96
)

// slot is the share of its like that a part reaches by design.
func (w nature) slot(x *metricModel, p part) float64 {
	switch {
	case !w.slots || len(p.gpus) != 1:
		return 1
	case p.gpus[0] == 7 && (x.metric() == "fp64" || x.metric() == "fp16"):
		return powerSlot
	case p.gpus[0]%4 == 0 && x.benchmark == "hostlink":
		return linkSlot
	}
	return 1
}

// memory is what one attempt leaves to the next of its run.
type memory struct {
	run      int
	noise    map[*metricModel][]float64
	neighbor map[string]float64 // by benchmark: the share that somebody else takes
}

// fromNeighbour is how much somebody else takes, at least and at most.
var fromNeighbour = [2]float64{0.03, 0.15}

// begin an attempt: a neighbour stays for all attempts by one benchmark.
func (m *machine) begin(r *rand.Rand, b *bench, run int) {
	if m.last.noise == nil || m.last.run != run {
		m.last = memory{run: run, noise: map[*metricModel][]float64{}, neighbor: map[string]float64{}}
	}
	if _, met := m.last.neighbor[b.Name]; met || m.in.neighbours == 0 || !ofCPU[b.Name] && b.Name != "hostlink" {
		return
	}
	taken := 0.0
	if r.Float64() < m.in.neighbours {
		taken = fromNeighbour[0] + r.Float64()*(fromNeighbour[1]-fromNeighbour[0])
	}
	m.last.neighbor[b.Name] = taken
}

// momentary is by how much a part is off in one attempt, of which the noise is drawn.
func (m *machine) momentary(x *metricModel, k int, drawn float64) float64 {
	if m.in.wider > 0 {
		drawn *= m.in.wider
	}
	if m.in.alike > 0 {
		before := m.last.noise[x]
		if k < len(before) {
			drawn = m.in.alike*before[k] + math.Sqrt(1-m.in.alike*m.in.alike)*drawn
		}
		if k == len(before) {
			before = append(before, drawn)
		}
		before[k] = drawn
		m.last.noise[x] = before
	}
	return drawn - m.last.neighbor[x.benchmark]
}

// worldTable prints how many healthy nodes fail where the world is not as claimed: in all worlds, or those whose names contain BENCH_FAULT.
func (p *program) worldTable(gpus int, sizes []int) {
	fmt.Fprintf(p.out, "### Healthy nodes failed in other worlds, %d GPUs a node\n\n| failed of healthy, %% |", gpus)
	for _, n := range sizes {
		fmt.Fprintf(p.out, " %d nodes, GPU | worst metric | CPU |", n)
	}
	fmt.Fprintln(p.out, "\n|---|"+strings.Repeat("---|", 3*len(sizes)))
	for _, w := range list.Where(natures, func(w nature) bool { return strings.Contains(w.name, p.fault) }) {
		fmt.Fprintf(p.out, "| %s |", w.name)
		for _, n := range sizes {
			h := healthOf(p.lab, setup{nodes: n, gpus: gpus, nature: w}, p.healthy, uint64(5000+n))
			worst := slices.MaxFunc(sortedKeys(h.metrics), func(a, b string) int { return h.metrics[a].yes - h.metrics[b].yes })
			fmt.Fprintf(p.out, " %s | %s %.2f | %s |", h.gpuNodes.percent(), worst, 100*h.metrics[worst].share(), h.cpuNodes.percent())
		}
		fmt.Fprintln(p.out)
	}
	fmt.Fprintln(p.out)
}
