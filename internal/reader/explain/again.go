package explain

import (
	"fmt"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// comparing are rules that take other nodes to judge by. A run of one node alone neither breaks them nor refutes them.
var comparing = []string{"FleetDeviation", "NodeDeviation", "FactUniform", "Blame"}

// fleet is how many nodes a node is compared with, at least.
const fleet = 3

// again says how the node is measured anew: by the benchmarks that went wrong, or else by all of the run.
func (c *knownCase) again(s *steps) {
	benchmarks, suite := s.benchmarks, ""
	if len(benchmarks) == 0 {
		suite = c.newest.Run.Spec.Suite
		for _, b := range c.newest.Run.Spec.Benchmarks {
			benchmarks = append(benchmarks, b.Name)
		}
	}
	parameters, own := c.asked(benchmarks, s.ruled)
	if s.compared || c.inGroups(benchmarks) {
		s.add(explainRunAgainCompared(c.Node, c.good(), fleet, suite, benchmarks, parameters))
	} else {
		s.add(fmt.Sprintf("Measure it again: kubectl assay run --nodes %s %s --wait", c.Node, measuredBy(suite, benchmarks, parameters)))
	}
	if len(own) > 0 {
		s.add(explainOwnExpectations(c.newest.Run.Name, own))
	}
	if c.tainted() {
		s.add("The taint goes when no rule is broken any more.")
	}
}

// asked is what the newest run wanted of benchmarks beside their names: their parameters as flags of a command, and which of those with a broken
// rule it judged by expectations of its own. Another configuration is not comparable, and a run without a rule refutes nothing that was broken by it.
func (c *knownCase) asked(benchmarks, ruled []string) (parameters, own []string) {
	for _, b := range c.newest.Run.Spec.Benchmarks {
		if !slices.Contains(benchmarks, b.Name) {
			continue
		}
		for _, p := range b.Parameters {
			parameters = append(parameters, b.Name+"."+p.Name+"="+p.Value)
		}
		if len(b.Expectations) > 0 && slices.Contains(ruled, b.Name) {
			own = append(own, b.Name)
		}
	}
	return parameters, own
}

// inGroups says whether one of these benchmarks measures nodes together, as far as the newest run tells.
func (c *knownCase) inGroups(benchmarks []string) bool {
	of := func(b v1alpha1.BenchmarkResult) bool { return slices.Contains(benchmarks, b.Name) }
	return slices.ContainsFunc(c.newest.Results, func(r v1alpha1.ValidationResult) bool { return r.Group != nil && slices.ContainsFunc(r.Benchmarks, of) }) ||
		slices.ContainsFunc(c.newest.Run.Status.Findings, func(f v1alpha1.FabricFinding) bool {
			return slices.Contains(betweenNodes, f.Kind) && slices.Contains(benchmarks, f.Benchmark)
		})
}

// betweenNodes are the kinds of findings of benchmarks that measure nodes together.
var betweenNodes = []string{"Link", "Boundary", "Set", "Suspects"}

// good nodes of the newest run, as many as it takes to compare, that were measured by the same.
func (c *knownCase) good() []string {
	var names []string
	rows := c.newest.Run.Status.Nodes
	for i := range rows {
		if r := &rows[i]; r.Name != c.Node && r.Verdict == v1alpha1.VerdictPass && !r.Tainted && c.alikeMeasured(r) && len(names) < fleet {
			names = append(names, r.Name)
		}
	}
	return names
}

// alikeMeasured says whether another node has values of the same metrics, where the table shows any.
func (c *knownCase) alikeMeasured(other *v1alpha1.NodeRow) bool {
	if c.row == nil {
		return true
	}
	for i := range c.row.Metrics {
		m := &c.row.Metrics[i]
		if !slices.ContainsFunc(other.Metrics, func(o v1alpha1.HeadlineValue) bool { return o.Benchmark == m.Benchmark && o.Metric == m.Metric }) {
			return false
		}
	}
	return true
}
