package explain

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
)

// awaited says which policies keep the node gated, or wait for something of it.
func (c *knownCase) awaited() []string {
	var all []string
	for p := range list.Each(c.Policies) {
		if g := p.Spec.Gate; g != nil && c.Live != nil {
			key := cmp.Or(g.Taint.Key, v1alpha1.DefaultGateKey)
			for _, t := range c.Live.Spec.Taints {
				if t.Key == key {
					all = append(all, fmt.Sprintf("gated: taint %s stays until the node holds a valid pass of policy %s", t.Key, p.Name))
				}
			}
		}
		for _, row := range p.Status.Attention {
			if row.Name == c.Node {
				all = append(all, fmt.Sprintf("policy %s, %s since %s: %s", p.Name, row.Reason, message.Day(row.Since.Time), row.Message))
			}
		}
	}
	return all
}

// policy says what policies want of the node, and how it stands with their gates.
func (c *knownCase) policy() []string {
	all := c.awaited()
	if c.Live == nil {
		return all
	}
	if record, ok := v1alpha1.GateRecordOf(c.Live.Annotations); ok {
		text := fmt.Sprintf("the gate of policy %s was opened by %s on %s", record.Policy, record.By, message.Day(record.OpenedAt.Time))
		all = append(all, message.With(text, ", after run ", record.Run))
	}
	if c.Live.Spec.Unschedulable {
		all = append(all, "the node is cordoned")
	}
	return all
}

// steps to take, each told once, and the benchmarks that are to measure again.
type steps struct {
	lines, benchmarks []string
	// compared says that a rule was broken that judges no node by itself.
	compared bool
}

func (s *steps) add(line string) {
	if line != "" && !slices.Contains(s.lines, line) {
		s.lines = append(s.lines, line)
	}
}

// broken is a rule that a benchmark found broken. Empty: it proved nothing.
func (s *steps) broken(benchmark, rule string) {
	s.compared = s.compared || slices.Contains(comparing, rule)
	if !slices.Contains(s.benchmarks, benchmark) {
		s.benchmarks = append(s.benchmarks, benchmark)
	}
}

// next says what to do once the faults are mended: to have the node measured again.
func (c *knownCase) next() []string {
	s := c.askedAgain()
	if len(s.benchmarks) == 0 {
		c.unexplained(&s)
	} else {
		c.again(&s)
	}
	return s.lines
}

// askedAgain is what is to be measured again.
func (c *knownCase) askedAgain() (s steps) {
	for b := range list.Each(c.result.Benchmarks) {
		s.found(b)
	}
	for v := range list.Each(c.validation.Convictions) {
		s.broken(v.Benchmark, v.Rule)
	}
	return s
}

// found adds what to do about one benchmark.
func (s *steps) found(b *v1alpha1.BenchmarkResult) {
	broken := list.Those(b.Findings, failing)
	for _, f := range broken {
		s.broken(b.Name, f.Rule)
	}
	switch {
	case b.Verdict == v1alpha1.VerdictError, b.Verdict == v1alpha1.VerdictInconclusive, b.Verdict == v1alpha1.VerdictMissing && len(broken) == 0:
		s.add(fmt.Sprintf("%s proved nothing (%s): fix what its message names.", b.Name, cmp.Or(b.Reason, string(b.Verdict))))
		s.broken(b.Name, "")
	case b.Verdict == v1alpha1.VerdictFail:
		s.broken(b.Name, "")
	}
}

// unexplained says what to do where no benchmark is known to have gone wrong. That is nothing only for a node that passed and is not kept
// from work.
func (c *knownCase) unexplained(s *steps) {
	verdict, _, run := c.ended()
	if verdict == v1alpha1.VerdictPass && !c.tainted() && len(c.awaited()) == 0 {
		if !slices.ContainsFunc(c.newest.Run.Status.Findings, c.atFault) {
			s.add("Nothing to do: nothing is known against " + c.Node + ".")
		}
		return
	}
	if verdict != v1alpha1.VerdictPass {
		s.add(c.row.Message)
	}
	if verdict == v1alpha1.VerdictPending && c.newest.Run.Status.CompletionTime == nil {
		s.add(fmt.Sprintf("Run %s is not over. Follow it: kubectl assay watch %s", run, run))
		return
	}
	c.again(s)
}

// tainted by Assay, as far as it is known.
func (c *knownCase) tainted() bool {
	if c.validation.Name != "" {
		return c.validation.Quarantine != nil
	}
	return c.row.Tainted
}

// atFault says whether a finding names the node, and fails somebody.
func (c *knownCase) atFault(f v1alpha1.FabricFinding) bool {
	return slices.Contains(f.Members, c.Node) && !f.Warns()
}
