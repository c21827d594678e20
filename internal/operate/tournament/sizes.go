package tournament

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// sizesOf a group are the smaller numbers of nodes that its benchmark is measured over too, the smallest first.
func (f *field) sizesOf(g *Group) []int {
	var sizes []int
	for _, n := range f.Benchmark.Spec.Group.Sizes {
		if int(n) < len(g.Nodes) {
			sizes = append(sizes, int(n))
		}
	}
	slices.Sort(sizes)
	return sizes
}

// firstOf a group's nodes are a group of their own: each size has all nodes of the smaller ones.
func (f *field) firstOf(g *Group, nodes int) *Group {
	return f.group(g.Nodes[:nodes:nodes])
}

// withSizes measures some of a group's nodes, size by size, and adds what they showed to the decision about the whole. The whole is the first round, each
// size another one. A group that could not be measured, or computed wrong data, has no curve.
func (f *field) withSizes(g *Group, d verdict.Decision) (joined verdict.Decision, wrong map[string]string) {
	switch {
	case d.Verdict == v1alpha1.VerdictPass, d.Verdict == v1alpha1.VerdictInconclusive:
	case d.Verdict == v1alpha1.VerdictFail && d.Reason == v1alpha1.ReasonBelowExpectation:
	default:
		return d, nil
	}
	joined, wrong = d, map[string]string{}
	for k, nodes := range f.sizesOf(g) {
		part := f.firstOf(g, nodes)
		own := f.settleSet(part, int32(k)+2, sizeDue(nodes, len(g.Nodes)), func(part *Group) verdict.Decision {
			// It is compared with no others: the curve of the whole is.
			return f.decideBy(verdict.NewJudge(f.Benchmark.Name, sizeMetrics(f.Metrics), nil, nil, true).OfGroups(), part).ComparedElsewhere()
		})
		own.Curves = nil // the whole group has the curve
		f.conclude(part, own)
		if own.Verdict == v1alpha1.VerdictPending {
			text := fmt.Sprintf("measuring %s: all %d reached: %s", sizeDue(nodes, len(g.Nodes)), len(g.Nodes), d.Message)
			return verdict.Decision{Verdict: v1alpha1.VerdictPending, Headline: d.Headline, Message: quantity.Clip(text, message.Longest)}, wrong
		}
		if own.Verdict == v1alpha1.VerdictFail && own.Reason != v1alpha1.ReasonBelowExpectation {
			f.find("Set", firstMetric(own), part.Names(), slowGroup(message.Nodes(part.Names()), own.Message))
			for _, name := range part.Names() {
				wrong[name] = cmp.Or(wrong[name], verdict.AtSize(len(part.Nodes), own.Message))
			}
		}
		joined = joined.JoinSize(nodes, ofWhole(own, g, part), f.valuesBeside(g, part), f.judgesCurves())
	}
	return joined, wrong
}

// sizeMetrics are the metrics as smaller sizes of a group are judged by them. A metric that scales must be there and be efficient. All other
// expectations are about the whole group: what a metric reaches at one size, it need not reach at another, whether or not its curve is asked for.
func sizeMetrics(metrics []v1alpha1.Metric) []v1alpha1.Metric {
	metrics = slices.Clone(metrics)
	for m := range list.Each(metrics) {
		e := m.Expectation
		m.Expectation = nil
		if e != nil && m.Scaling != "" {
			m.Expectation = &v1alpha1.Expectation{MinEfficiency: e.MinEfficiency, Min: "0"}
		}
	}
	return metrics
}

// judgesCurves: one of the metrics is asked to be efficient.
func (f *field) judgesCurves() bool {
	return slices.ContainsFunc(f.Metrics, func(m v1alpha1.Metric) bool { return m.Expectation != nil && m.Expectation.MinEfficiency != "" })
}

// ofWhole is the decision about some of a group's nodes as far as it is about the whole. Wrong data is not: it names those who computed it,
// who must not pass, and proves nothing of the others.
func ofWhole(d verdict.Decision, g, part *Group) verdict.Decision {
	switch {
	case d.Verdict == v1alpha1.VerdictFail && d.Reason != v1alpha1.ReasonBelowExpectation:
		d.Verdict = v1alpha1.VerdictError
	case !sameImage(g, part):
		return verdict.Decision{Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonNotComparable,
			Message: "measured with another image than the whole group, because its tag names another one now: name the image by digest"}
	}
	return d
}

// smaller sizes of a group as far as they were measured, by metric.
func (f *field) smaller(g *Group) map[string][]attempt.PartValue {
	all := map[string][]attempt.PartValue{}
	for _, nodes := range f.sizesOf(g) {
		for metric, values := range f.valuesBeside(g, f.firstOf(g, nodes)) {
			all[metric] = append(all[metric], values...)
		}
	}
	return all
}

// valuesBeside those of a group are what some of its nodes reached, of the metrics that scale; none where they ran another image.
func (f *field) valuesBeside(g, part *Group) map[string][]attempt.PartValue {
	all := map[string][]attempt.PartValue{}
	for m := range list.Each(f.Metrics) {
		if m.Scaling != "" && sameImage(g, part) {
			all[m.Name] = meanValues(attempt.Alike(part.Attempts), m)
		}
	}
	return all
}

// meanValues are the parts of a metric at the mean of all attempts that measured and verified them, and that nothing disturbed.
func meanValues(attempts []v1alpha1.Attempt, m *v1alpha1.Metric) []attempt.PartValue {
	calm, _ := attempt.Apart(attempts)
	good := list.Those(calm, func(a *v1alpha1.Attempt) bool { return a.Verdict == v1alpha1.VerdictPass && !attempt.WrongData(a) })
	if len(good) == 0 {
		return nil
	}
	return attempt.Values(attempt.Mean(good), m)
}

// sameImage: two groups were measured last in one configuration, over whatever fabric. It is true of what was not measured.
func sameImage(g, part *Group) bool {
	last := func(g *Group) string {
		if a := attempt.LastMeasured(g.Attempts); a != nil {
			return workload.WithoutFabric(a.Configuration)
		}
		return ""
	}
	a, b := last(g), last(part)
	return a == b || a == "" || b == ""
}

// NameSize names by how many nodes measured it what stands for all of them, whatever their program calls it: the one part of a metric that
// scales, and of any other metric a part that is the whole. So sizes are told apart wherever values are shown or compared.
func NameSize(b *v1alpha1.Benchmark, metrics []v1alpha1.Metric, a *v1alpha1.Attempt, nodes int) {
	if len(b.Spec.Group.Sizes) == 0 {
		return
	}
	for m := range list.Each(a.Measurements) {
		scales := slices.ContainsFunc(metrics, func(o v1alpha1.Metric) bool { return o.Name == m.Name && o.Scaling != "" })
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
