package assess

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/taint"
)

// Breaker is what stops the run from tainting.
type Breaker struct {
	Open    bool
	Message string
	// Input that it was asked with: whoever taints counts by it once more.
	Input taint.BreakerInput
}

// judgeBreaker counts who failed and why. A run that taints nothing has nothing to break, nor has one that failed nobody: an older
// taint is no failure of this run, however few may carry one.
func (s *state) judgeBreaker() {
	f := s.run.Spec.OnFailure
	if f == nil || f.Taint == nil {
		return
	}
	in := taint.BreakerInput{Nodes: len(s.nodes), Limit: taint.Limit(f.MaxTaintedNodes, len(s.nodes))}
	for _, n := range s.nodes {
		if !n.final() && !n.tainted() {
			continue
		}
		j := taint.JudgedNode{Name: n.name, Verdict: n.verdict, Tainted: n.tainted()}
		for i, d := range n.decisions {
			for _, finding := range d.Findings {
				if finding.Verdict == v1alpha1.VerdictFail {
					j.Failures = append(j.Failures, s.tasks[i].Name()+"/"+finding.Metric+"/"+finding.Rule)
				}
			}
		}
		slices.Sort(j.Failures)
		j.Failures = slices.Compact(j.Failures)
		in.Judged = append(in.Judged, j)
	}
	s.breaker.Input = in
	if slices.ContainsFunc(in.Judged, func(j taint.JudgedNode) bool { return j.Verdict == v1alpha1.VerdictFail }) {
		s.breaker.Open, s.breaker.Message = taint.Breaker(in)
	}
}
