package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/cause"
	"github.com/assay-dev/assay/internal/list"
)

// comparing are rules that take other nodes to judge by. A run of one node alone neither breaks them nor refutes them.
var comparing = []string{"FleetDeviation", "NodeDeviation", "FactUniform", "Blame"}

// fleet is how many nodes a node is compared with, at least.
const fleet = 3

// Again is how a node is measured anew: by the benchmarks that went wrong, or else by all of its newest run, with the parameters and
// expectations of that run, for another configuration is not comparable, and a run without a rule refutes nothing that was broken by it.
// Beside it stand others to compare it with, as far as it takes any and the run knows them; lack is how many are missing.
func Again(in Input) (spec v1alpha1.ValidationRunSpec, lack int) {
	c := newCase(&in)
	s := c.askedAgain()
	return c.anew(&s)
}

func (c *knownCase) anew(s *steps) (spec v1alpha1.ValidationRunSpec, lack int) {
	asked := c.newest.Run.Spec.DeepCopy()
	spec.NodeNames, spec.Confirmations = []string{c.Node}, asked.Confirmations
	if len(s.benchmarks) == 0 {
		spec.Suite, spec.Benchmarks, spec.Overrides = asked.Suite, asked.Benchmarks, asked.Overrides
	}
	for _, name := range s.benchmarks {
		spec.Benchmarks = append(spec.Benchmarks, asked.Ref(name))
	}
	if s.compared || c.inGroups(namesOf(spec.Benchmarks)) {
		good := c.good()
		spec.NodeNames, lack = append(spec.NodeNames, good...), fleet-len(good)
	}
	return spec, lack
}

func namesOf(benchmarks []v1alpha1.BenchmarkRef) []string {
	return list.Map(benchmarks, func(b v1alpha1.BenchmarkRef) string { return b.Name })
}

// again says how the node is measured anew. Where the run is gone, or knows too few others, the reader names what is missing.
func (c *knownCase) again(s *steps) {
	spec, lack := c.anew(s)
	what, how := "Measure it again", "--again "+c.Node
	if s.compared || c.inGroups(namesOf(spec.Benchmarks)) {
		what = fmt.Sprintf("Measure it again, beside %d others of its kind to compare it with", fleet)
	}
	gone := c.newest.Run.UID == ""
	if gone {
		how = measuredBy(spec.Suite, namesOf(spec.Benchmarks))
	}
	if gone || lack > 0 {
		for i := range lack {
			spec.NodeNames = append(spec.NodeNames, fmt.Sprintf("OTHER-%d", fleet-lack+i+1))
		}
		how += " --nodes " + strings.Join(spec.NodeNames, ",")
	}
	if cause.OutOfServiceOn(c.validation, nil) != nil {
		s.add(cause.FreeFirst)
	}
	s.add(fmt.Sprintf("%s: kubectl assay run %s --wait", what, how))
	if c.tainted() {
		s.add("The taint goes when no rule is broken any more.")
	}
}

// measuredBy are the flags that say what to measure by. What is not known is left to the reader.
func measuredBy(suite string, benchmarks []string) string {
	if suite == "" && len(benchmarks) > 0 {
		return "--benchmark " + strings.Join(benchmarks, ",")
	}
	return "--suite " + cmp.Or(suite, "SUITE")
}

// inGroups says whether one of these benchmarks measures nodes together, as far as the newest run tells.
func (c *knownCase) inGroups(benchmarks []string) bool {
	of := func(b v1alpha1.BenchmarkResult) bool { return slices.Contains(benchmarks, b.Name) }
	return slices.ContainsFunc(c.newest.Results, func(r v1alpha1.ValidationResult) bool { return r.Group != nil && slices.ContainsFunc(r.Benchmarks, of) }) ||
		slices.ContainsFunc(c.newest.Run.Status.Findings, func(f v1alpha1.FabricFinding) bool {
			return !f.Warns() && slices.Contains(benchmarks, f.Benchmark)
		})
}

// good nodes of the newest run, as many as it takes to compare, that were measured by the same.
func (c *knownCase) good() []string {
	var names []string
	for r := range list.Each(c.newest.Run.Status.Nodes) {
		if r.Name != c.Node && r.Verdict == v1alpha1.VerdictPass && !r.Tainted && c.alikeMeasured(r) && len(names) < fleet {
			names = append(names, r.Name)
		}
	}
	return names
}

// alikeMeasured says whether another node has values of the same metrics, where the table shows any.
func (c *knownCase) alikeMeasured(other *v1alpha1.NodeRow) bool {
	for m := range list.Each(c.row.Metrics) {
		if !slices.ContainsFunc(other.Metrics, func(o v1alpha1.HeadlineValue) bool { return o.Benchmark == m.Benchmark && o.Metric == m.Metric }) {
			return false
		}
	}
	return true
}
