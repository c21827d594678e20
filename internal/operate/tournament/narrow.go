package tournament

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/blame"
	"github.com/assay-dev/assay/internal/judge/verdict"
)

// narrow measures parts of a group that is slow until the part or the boundary that makes it slow is known. Where what it reaches depends on
// the number of nodes, parts of it cannot be compared with it.
func (f *field) narrow(s set, parts map[string][]*Group) (found []blame.Finding, done bool) {
	d, spec := s.decision, f.Benchmark.Spec.Group
	if d.Verdict != v1alpha1.VerdictFail || d.Reason != v1alpha1.ReasonBelowExpectation || f.dependsOnSize(firstMetric(d)) || len(spec.Sizes) > 0 {
		return nil, true
	}
	members := make([]blame.Node, len(s.Nodes))
	for m, name := range s.Names() {
		members[m] = blame.Node{Name: name, Place: f.nodes[name].label(cmp.Or(spec.Across, spec.Topology))}
	}
	split := blame.Bisect(members, f.trials(s, parts))
	if len(split.Next) == 0 || f.closed() {
		return split.Findings, true
	}
	due := false
	for _, names := range split.Next {
		part := f.groupOf(names)
		if f.missingMember(part) != nil {
			continue
		}
		due = f.start(part, 0, "part of a slow group") || due
	}
	return nil, !due
}

// partsOf are the sets that were measured but not drawn, by their first node: each can only be part of a group that has it.
func (f *field) partsOf(drawn []*Group) map[string][]*Group {
	out := map[string][]*Group{}
	for _, g := range f.Groups {
		if !slices.Contains(drawn, g) && len(g.Nodes) > 0 && len(g.Attempts) > 0 {
			out[g.Nodes[0].Name] = append(out[g.Nodes[0].Name], g)
		}
	}
	return out
}

// trials are the group and its parts as far as they were measured.
func (f *field) trials(s set, parts map[string][]*Group) []blame.Trial {
	trials := []blame.Trial{trial(s.Group, s.decision.Verdict)}
	names := s.Names()
	for _, name := range names {
		for _, part := range parts[name] {
			if len(part.Nodes) >= len(names) || !subset(part.Names(), names) {
				continue
			}
			if first := part.Attempts[0]; part.Verdict == v1alpha1.VerdictPending {
				f.conclude(part, verdict.Decision{Verdict: first.Verdict, Reason: first.Reason, Message: first.Message})
			}
			trials = append(trials, trial(part, f.decideBy(s.fleet, part).Verdict))
		}
	}
	return trials
}

func trial(g *Group, v v1alpha1.Verdict) blame.Trial {
	return blame.Trial{Members: g.Names(), Slow: v == v1alpha1.VerdictFail || v == v1alpha1.VerdictPending,
		Failed: v == v1alpha1.VerdictError || v == v1alpha1.VerdictMissing || v == v1alpha1.VerdictSkipped}
}
