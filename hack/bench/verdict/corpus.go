package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"

	"github.com/assay-dev/assay/hack/bench/corpus"
	"github.com/assay-dev/assay/internal/reader/export"
)

// draft of a case of the corpus: what is to be drawn.
type draft struct {
	setup
	bench *bench
	fault *fault
}

var (
	// corpusFleets are the sizes of fleets; of links, of which a node has 56, there are smaller ones.
	corpusFleets = []int{1, 4, 8, 32}
	// corpusSizes of faults, as shares that are lost.
	corpusSizes = []float64{0.01, 0.02, 0.05, 0.10, 0.20}
)

const (
	mostNodesWithLinks = 8
	// healthyFleets and faultyFleets are how often a healthy fleet of a world, and a fault of a size, is drawn.
	healthyFleets = 6
	faultyFleets  = 5
	// attemptsOfANode: the first, the confirmations of the API's default, and as many to spare.
	attemptsOfANode = 1 + 2*confirmations
)

// drafts of the whole corpus: healthy fleets in every world, every fault at every size as recorded, and in each world at one size.
func (l *lab) drafts() (all []draft) {
	for _, nodes := range corpusFleets {
		for _, w := range natures {
			for _, b := range l.benches {
				for range healthyFleets {
					all = append(all, draft{setup{nodes: nodes, gpus: 8, nature: w}, b, nil})
				}
			}
			for _, f := range atSizes(faults) {
				if !slices.Contains(corpusSizes, f.size) || w.name != natures[0].name && f.size != 0.05 {
					continue
				}
				for range faultyFleets {
					all = append(all, draft{setup{nodes: nodes, gpus: 8, nature: w}, l.named(f.benchmark), &f})
				}
			}
		}
	}
	return all
}

// drawn is the whole corpus. The same seed gives the same cases.
func (l *lab) drawn(seed uint64) []corpus.Case {
	all := l.drafts()
	return each(len(all), func(k int) corpus.Case { return l.draw(rand.New(rand.NewPCG(seed, uint64(k))), k+1, all[k]) })
}

// ofSite makes cases of runs that kubectl assay export wrote.
func ofSite(file string) ([]corpus.Case, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var site export.Collected
	if err := export.Read(f, func(string, string) bool { return true }, &site); err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	cases := corpus.OfSite(site.Runs)
	if len(cases) == 0 {
		return nil, fmt.Errorf("%s has no node that passed a benchmark of nodes: export finished runs", file)
	}
	return cases, nil
}

// writeCorpus writes the cases, drawn from a seed or made of a site's runs, and says how many there are.
func (p *program) writeCorpus(file, seed, runs string) error {
	from, err := strconv.ParseUint(cmp.Or(seed, "1"), 10, 64)
	if err != nil {
		return fmt.Errorf("SEED: %w", err)
	}
	var cases []corpus.Case
	if runs == "" {
		cases = p.lab.drawn(from)
	} else if cases, err = ofSite(runs); err != nil {
		return err
	}
	if err := corpus.Write(file, cases); err != nil {
		return err
	}
	healthy := 0
	for _, c := range cases {
		if c.Label.Fault == nil {
			healthy++
		}
	}
	_, err = fmt.Fprintf(p.out, "%d cases, %d of them of healthy fleets: %s\n", len(cases), healthy, file)
	return err
}

// draw a case. A fault is in the first node; the nodes are shuffled afterwards, so that their order tells nothing.
func (l *lab) draw(r *rand.Rand, id int, d draft) corpus.Case {
	if d.bench.Name == "p2p" {
		d.nodes = min(d.nodes, mostNodesWithLinks)
	}
	machines := l.machines(r, d.setup, []*bench{d.bench})
	c := corpus.Case{ID: id, Benchmark: d.bench.Name, CostSeconds: int(d.bench.Spec.CostSeconds), Label: &corpus.Label{World: d.name}}
	if !ofCPU[d.bench.Name] {
		c.GPUs = d.gpus
	}
	for i := range d.bench.metrics {
		if x := &d.bench.metrics[i]; x.Unit != "count" {
			c.Metrics = append(c.Metrics, corpus.Metric{Name: x.metric(), Unit: x.Unit, DataSheet: l.peak(x), Healthy: x.level()})
		}
	}
	places := r.Perm(len(machines))
	c.Nodes = make([]corpus.Node, len(machines))
	for i, m := range machines {
		var f *fault
		if i == 0 {
			f = d.fault
		}
		m.name = "node-" + strconv.Itoa(places[i])
		c.Nodes[places[i]] = corpus.Node{Name: m.name, Attempts: l.attempts(r, d.bench, m, f)}
	}
	if d.fault != nil {
		c.Label.Fault = l.label(d.fault, d.bench, machines[0])
	}
	return c
}

// attempts of one machine.
func (l *lab) attempts(r *rand.Rand, b *bench, m *machine, f *fault) (all []corpus.Attempt) {
	for number := 1; number <= attemptsOfANode; number++ {
		measured := m.measure(r, b, f, 0, number)
		a := corpus.Attempt{}
		for _, of := range measured.Measurements {
			if of.Unit == "count" {
				continue
			}
			a[of.Name] = map[string]float64{}
			for _, part := range of.Parts {
				a[of.Name][part.At], _ = strconv.ParseFloat(string(part.Value), 64)
			}
		}
		all = append(all, a)
	}
	return all
}

func (l *lab) label(f *fault, b *bench, m *machine) *corpus.Fault {
	out := &corpus.Fault{Name: f.name, Node: m.name, Lost: f.size}
	for i := range b.metrics {
		x := &b.metrics[i]
		hit := false
		for _, p := range m.parts[x.metric()] {
			if f.hits(x, p) {
				hit = true
				if !slices.Contains(out.Parts, p.at) {
					out.Parts = append(out.Parts, p.at)
				}
			}
		}
		if hit {
			out.Metrics = append(out.Metrics, x.metric())
		}
	}
	return out
}
