package explain

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/policy"
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

// next says what to do: about each rule that was broken, and then to have the node measured again.
func (c *knownCase) next() []string {
	var all, benchmarks []string
	add := func(line string) {
		if line != "" && !slices.Contains(all, line) {
			all = append(all, line)
		}
	}
	blame := func(benchmark string) {
		if !slices.Contains(benchmarks, benchmark) {
			benchmarks = append(benchmarks, benchmark)
		}
	}
	for i := range c.result.Benchmarks {
		b := &c.result.Benchmarks[i]
		for j := range b.Findings {
			if f := &b.Findings[j]; failing(f) {
				add(message.ExplainAdvice(f.Rule))
				blame(b.Name)
			}
		}
		if b.Verdict == v1alpha1.VerdictError || b.Verdict == v1alpha1.VerdictInconclusive {
			add(message.ExplainMeasureAgain(b.Name, b.Reason))
			blame(b.Name)
		}
	}
	tainted := c.validation != nil && c.validation.Quarantine != nil
	if c.validation != nil {
		for i := range c.validation.Convictions {
			v := &c.validation.Convictions[i]
			add(message.ExplainAdvice(v.Rule))
			blame(v.Benchmark)
		}
	}
	if slices.ContainsFunc(c.newest.Run.Status.Findings, func(f v1alpha1.FabricFinding) bool {
		return slices.Contains(f.Members, c.Node) && f.Kind != "Population" && f.Kind != "Shift"
	}) {
		add(message.ExplainLinkAdvice())
	}
	if c.row != nil && c.row.Verdict == v1alpha1.VerdictSkipped {
		add(c.row.Message)
	}
	if len(benchmarks) > 0 {
		add(message.ExplainRunAgain(c.Node, benchmarks, tainted))
	}
	if len(all) == 0 {
		add(message.ExplainNothing(c.Node))
	}
	return all
}
