package corpus

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/export"
)

var (
	// siteSizes are the shares that faults take from what a site recorded.
	siteSizes = []float64{0.01, 0.02, 0.05, 0.10, 0.20}
	// victims of each fault: the fleet's other nodes stay as they are.
	victims = 3
)

// OfSite makes cases of a site's own runs: for each benchmark the nodes that passed it, as they are, and with a fault in one part, or in all
// parts of one metric, of some of them. Each run of a node gives one attempt; the runs come in the order of their start.
func OfSite(runs []export.Run) (cases []Case) {
	runs = slices.SortedFunc(slices.Values(runs), func(a, b export.Run) int {
		return a.Run.CreationTimestamp.Compare(b.Run.CreationTimestamp.Time)
	})
	fleets := map[string]*Case{}
	for _, r := range runs {
		for i := range r.Results {
			for k := range r.Results[i].Benchmarks {
				take(fleets, &r.Results[i], &r.Results[i].Benchmarks[k])
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fleets)) {
		c := fleets[name]
		slices.SortFunc(c.Nodes, func(a, b Node) int { return cmp.Compare(a.Name, b.Name) })
		cases = append(cases, withFaults(c)...)
	}
	for i := range cases {
		cases[i].ID = i + 1
	}
	return cases
}

// take a node's first attempt by a benchmark that it passed.
func take(fleets map[string]*Case, r *v1alpha1.ValidationResult, b *v1alpha1.BenchmarkResult) {
	if r.Group != nil || b.Verdict != v1alpha1.VerdictPass || len(b.Attempts) == 0 {
		return
	}
	a := Attempt{}
	var metrics []Metric
	for _, m := range b.Attempts[0].Measurements {
		if m.Better != v1alpha1.Higher || len(m.Parts) == 0 {
			continue
		}
		a[m.Name] = map[string]float64{}
		metrics = append(metrics, Metric{Name: m.Name, Unit: m.Unit})
		for _, p := range m.Parts {
			a[m.Name][p.At], _ = strconv.ParseFloat(string(p.Value), 64)
		}
	}
	if len(metrics) == 0 {
		return
	}
	c := fleets[b.Name]
	if c == nil {
		c = &Case{Benchmark: b.Name, Metrics: metrics, GPUs: len(b.Attempts[0].Devices), Label: &Label{World: "as recorded"}}
		fleets[b.Name] = c
	}
	if i := slices.IndexFunc(c.Nodes, func(n Node) bool { return n.Name == r.Node.Name }); i >= 0 {
		c.Nodes[i].Attempts = append(c.Nodes[i].Attempts, a)
	} else {
		c.Nodes = append(c.Nodes, Node{Name: r.Node.Name, Attempts: []Attempt{a}})
	}
}

// withFaults is the healthy fleet, and the same one with each fault.
func withFaults(healthy *Case) []Case {
	cases := []Case{*healthy}
	for _, m := range healthy.Metrics {
		for victim := range min(victims, len(healthy.Nodes)) {
			parts := slices.Sorted(maps.Keys(healthy.Nodes[victim].Attempts[0][m.Name]))
			for _, lost := range siteSizes {
				for name, of := range map[string][]string{"one part, " + m.Name: parts[:1], "node, " + m.Name: parts} {
					cases = append(cases, slowed(healthy, Fault{Name: name, Node: healthy.Nodes[victim].Name, Lost: lost, Metrics: []string{m.Name}, Parts: of}))
				}
			}
		}
	}
	return cases
}

// slowed is a fleet with a fault.
func slowed(c *Case, f Fault) Case {
	out := *c
	out.Label = &Label{World: c.Label.World, Fault: &f}
	out.Nodes = slices.Clone(c.Nodes)
	for i, n := range out.Nodes {
		if n.Name != f.Node {
			continue
		}
		attempts := slices.Clone(n.Attempts)
		for k := range attempts {
			attempts[k] = maps.Clone(attempts[k])
			for _, metric := range f.Metrics {
				values := maps.Clone(attempts[k][metric])
				for _, at := range f.Parts {
					values[at] *= 1 - f.Lost
				}
				attempts[k][metric] = values
			}
		}
		out.Nodes[i].Attempts = attempts
	}
	return out
}
