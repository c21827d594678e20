package explain

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/report"
)

// policy says what policies want of the node, and how it stands with their gates.
func (c *knownCase) policy() []string {
	var all []string
	for i := range c.Policies {
		p := &c.Policies[i]
		if g := p.Spec.Gate; g != nil && c.Live != nil {
			key := cmp.Or(g.Taint.Key, v1alpha1.DefaultGateKey)
			for _, t := range c.Live.Spec.Taints {
				if t.Key == key {
					all = append(all, message.ExplainGated(t.Key, p.Name))
				}
			}
		}
		for _, row := range p.Status.Attention {
			if row.Name == c.Node {
				all = append(all, message.ExplainAttention(p.Name, row.Reason, row.Message, row.Since.Time))
			}
		}
	}
	if c.Live == nil {
		return all
	}
	var record policy.GateRecord
	if text := c.Live.Annotations[v1alpha1.AnnotationGate]; text != "" && json.Unmarshal([]byte(text), &record) == nil {
		all = append(all, message.ExplainGateOpened(record.Policy, record.Run, record.By, record.OpenedAt.Time))
	}
	if c.Live.Spec.Unschedulable {
		all = append(all, message.ExplainCordoned())
	}
	return all
}

// steps to take, each told once, and the benchmarks that are to measure again.
type steps struct{ lines, benchmarks []string }

func (s *steps) add(line string) {
	if line != "" && !slices.Contains(s.lines, line) {
		s.lines = append(s.lines, line)
	}
}

func (s *steps) about(benchmark, line string) {
	s.add(line)
	if !slices.Contains(s.benchmarks, benchmark) {
		s.benchmarks = append(s.benchmarks, benchmark)
	}
}

// next says what to do: about each rule that was broken, and then to have the node measured again.
func (c *knownCase) next() []string {
	var s steps
	for i := range c.result.Benchmarks {
		b := &c.result.Benchmarks[i]
		for j := range b.Findings {
			if f := &b.Findings[j]; failing(f) {
				s.about(b.Name, message.ExplainAdvice(f.Rule))
			}
		}
		if b.Verdict == v1alpha1.VerdictError || b.Verdict == v1alpha1.VerdictInconclusive {
			s.about(b.Name, message.ExplainMeasureAgain(b.Name, b.Reason))
		}
	}
	tainted := false
	if c.validation != nil {
		tainted = c.validation.Quarantine != nil
		for i := range c.validation.Convictions {
			v := &c.validation.Convictions[i]
			s.about(v.Benchmark, message.ExplainAdvice(v.Rule))
		}
	}
	if slices.ContainsFunc(c.newest.Run.Status.Findings, c.atFault) {
		s.add(message.ExplainLinkAdvice())
	}
	if c.row != nil && c.row.Verdict == v1alpha1.VerdictSkipped {
		s.add(c.row.Message)
	}
	if len(s.benchmarks) > 0 {
		s.add(message.ExplainRunAgain(c.Node, s.benchmarks, tainted))
	}
	if len(s.lines) == 0 {
		s.add(message.ExplainNothing(c.Node))
	}
	return s.lines
}

// atFault says whether a finding names the node, and fails somebody.
func (c *knownCase) atFault(f v1alpha1.FabricFinding) bool {
	found := report.Finding(f)
	return slices.Contains(f.Members, c.Node) && !found.Warns()
}
