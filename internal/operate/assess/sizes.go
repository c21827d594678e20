package assess

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/expect"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// sizesOf a group are the smaller numbers of nodes that its benchmark is measured over too, the smallest first.
func (s *state) sizesOf(i int, g *Group) []int {
	var sizes []int
	for _, n := range s.tasks[i].Benchmark.Spec.Group.Sizes {
		if int(n) < len(g.nodes) {
			sizes = append(sizes, int(n))
		}
	}
	slices.Sort(sizes)
	return sizes
}

// firstOf a group's nodes are a group of their own: each size has all nodes of the smaller ones.
func (s *state) firstOf(i int, g *Group, nodes int) *Group {
	return s.group(i, g.nodes[:nodes:nodes])
}

// withSizes measures some of a group's nodes, size by size, and adds what they showed to the decision about the whole. The whole is the first round, each size another one. A group that could
// not be measured, or computed wrong data, has no curve.
func (s *state) withSizes(i int, g *Group, d verdict.Decision) verdict.Decision {
	switch {
	case d.Verdict == v1alpha1.VerdictPass, d.Verdict == v1alpha1.VerdictInconclusive:
	case d.Verdict == v1alpha1.VerdictFail && d.Reason == v1alpha1.ReasonBelowExpectation:
	default:
		return d
	}
	whole := d
	g.wrong = map[string]string{}
	for k, nodes := range s.sizesOf(i, g) {
		part := s.firstOf(i, g, nodes)
		s.settleSet(i, part, int32(k)+2, message.SizeDue(nodes, len(g.nodes)), s.decideSize)
		part.decision.Curves = nil // the whole group has the curve
		s.storeGroup(part, part.decision)
		if part.decision.Verdict == v1alpha1.VerdictPending {
			return verdict.Decision{Verdict: v1alpha1.VerdictPending, Headline: whole.Headline,
				Message: quantity.Clip(message.SizesDue(nodes, len(g.nodes), whole.Message), message.Longest)}
		}
		measured := map[string]bool{}
		for metric, values := range s.valuesBeside(i, g, part) {
			measured[metric] = len(values) > 0
		}
		d = d.JoinSize(nodes, s.reportSize(i, g, part), measured, expect.JudgesCurves(s.tasks[i].Metrics))
	}
	return d
}

// reportSize is the decision about some of a group's nodes as far as it is about the whole. Wrong data is not: it names those who computed it,
// who must not pass, and proves nothing of the others.
func (s *state) reportSize(i int, g, part *Group) verdict.Decision {
	d := part.decision
	if d.Verdict != v1alpha1.VerdictFail || d.Reason == v1alpha1.ReasonBelowExpectation {
		if !sameImage(g, part) {
			return verdict.Decision{Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonNotComparable, Message: message.OtherImage()}
		}
		return d
	}
	s.addFinding(v1alpha1.FabricFinding{Kind: "Set", Benchmark: s.tasks[i].Name(), Metric: firstMetric(d), Members: part.names(),
		Message: message.SlowGroup(message.Nodes(part.names()), d.Message)})
	d.Verdict = v1alpha1.VerdictError
	for _, name := range part.names() {
		if g.wrong[name] == "" {
			g.wrong[name] = message.AtSize(len(part.nodes), d.Message)
		}
	}
	return d
}

func (s *state) decideSize(i int, part *Group) verdict.Decision {
	t := &s.tasks[i]
	return s.decideBy(verdict.NewJudge(t.Name(), expect.SizeMetrics(t.Metrics), nil, nil, true).OfGroups(), i, part).ComparedElsewhere() // the curve of the whole compares it
}

// smaller sizes of a group as far as they were measured, by metric.
func (s *state) smaller(i int, g *Group) map[string][]attempt.PartValue {
	var all map[string][]attempt.PartValue
	for _, nodes := range s.sizesOf(i, g) {
		for metric, values := range s.valuesBeside(i, g, s.firstOf(i, g, nodes)) {
			if all == nil {
				all = map[string][]attempt.PartValue{}
			}
			all[metric] = append(all[metric], values...)
		}
	}
	return all
}

// valuesBeside those of a group are what some of its nodes reached; none where they ran another image.
func (s *state) valuesBeside(i int, g, part *Group) map[string][]attempt.PartValue {
	if !sameImage(g, part) {
		return nil
	}
	return s.valuesOf(i, part)
}

// sameImage: two groups were measured last in one configuration, over whatever fabric. It is true of what was not measured.
func sameImage(g, part *Group) bool {
	last := func(g *Group) string {
		for _, a := range slices.Backward(g.attempts()) {
			if measured(a) {
				return workload.WithoutFabric(a.Configuration)
			}
		}
		return ""
	}
	a, b := last(g), last(part)
	return a == b || a == "" || b == ""
}

// valuesOf the metrics that scale.
func (s *state) valuesOf(i int, g *Group) map[string][]attempt.PartValue {
	all := map[string][]attempt.PartValue{}
	for m := range s.tasks[i].Metrics {
		if metric := &s.tasks[i].Metrics[m]; metric.Scaling != "" {
			all[metric.Name] = attempt.MeanValues(attempt.Alike(g.attempts()), metric)
		}
	}
	return all
}

// nameSize names by how many nodes measured it what stands for all of them, whatever their program calls it: the one part of a metric that
// scales, and of any other metric a part that is the whole. So sizes are told apart wherever values are shown or compared.
func (t *Task) nameSize(a *v1alpha1.Attempt, nodes int) {
	if len(t.Benchmark.Spec.Group.Sizes) == 0 {
		return
	}
	for i := range a.Measurements {
		m := &a.Measurements[i]
		scales := slices.ContainsFunc(t.Metrics, func(o v1alpha1.Metric) bool { return o.Name == m.Name && o.Scaling != "" })
		if len(m.Parts) == 1 && (scales || isWhole(m.Parts[0].At)) {
			m.Parts[0].At = quantity.OfNodes(nodes)
		}
	}
}

// isWhole: the part is all that worked together.
func isWhole(at string) bool {
	_, _, counted := quantity.SizeOf(at)
	return counted || at == result.NodePart || at == result.GroupPart
}

// curved leaves out what was measured at one size only: it is no curve.
func curved(all []v1alpha1.Curve) []v1alpha1.Curve {
	var curves []v1alpha1.Curve
	for i := range all {
		if len(all[i].Points) > 1 {
			curves = append(curves, all[i])
		}
	}
	return curves
}
