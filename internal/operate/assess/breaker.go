package assess

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess/judge"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// Breaker is what keeps the run from calling nodes unfit.
type Breaker struct {
	Open    bool
	Message string
	// Early: too few nodes are measured yet for a run that taints nobody to call one of them unfit. A run that taints asks for that
	// node by node, as it does for its budgets.
	Early bool
	// Input that it was asked with: whoever taints counts by it once more.
	Input taint.BreakerInput
}

// breakerOf a run counts who failed and why. A run that failed nobody has nothing to break: an older taint is no failure of this run,
// however few may carry one. A run that taints nobody has no budget, but most of its nodes may fail alike all the same.
func breakerOf(s *judge.Judged) (b Breaker) {
	in := taint.BreakerInput{Nodes: len(s.Nodes), Limit: taint.NoTaint, Elsewhere: s.Elsewhere}
	if f := s.Run.Spec.OnFailure; f != nil && f.Taint != nil {
		in.Limit = taint.Limit(f.MaxTaintedNodes, len(s.Nodes))
	}
	for _, n := range s.Nodes {
		if !n.Final() && !n.Tainted() {
			continue
		}
		j := taint.JudgedNode{Name: n.Name, Verdict: n.Verdict, Tainted: n.Tainted()}
		if n.Node != nil {
			j.InstanceType = taint.InstanceType(n.Node)
		}
		for i, d := range n.Decisions {
			for _, finding := range d.Findings {
				if finding.Verdict == v1alpha1.VerdictFail {
					failure := s.Tasks[i].Name() + "/" + finding.Metric + "/" + finding.Rule
					j.Failures, j.Parts = append(j.Failures, failure), append(j.Parts, failure+"/"+finding.At)
				}
			}
		}
		slices.Sort(j.Failures)
		j.Failures = slices.Compact(j.Failures)
		in.Judged = append(in.Judged, j)
	}
	b.Input = in
	if slices.ContainsFunc(in.Judged, func(j taint.JudgedNode) bool { return j.Verdict == v1alpha1.VerdictFail }) {
		b.Open, b.Message = taint.Breaker(in)
		b.Early = in.Limit == taint.NoTaint && taint.Early(in)
	}
	return b
}
