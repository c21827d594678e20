package tournament

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/blame"
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
	trials, open := f.trials(s, parts)
	split := blame.Bisect(members, trials)
	if f.closed() || len(split.Next) == 0 && !open {
		return split.Findings, true
	}
	if open { // what is next follows from that, too
		return nil, false
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

// trials are the group and its parts as far as they were measured. A part of which only disturbed attempts are known is measured again, which leaves all open,
// as does a fleet that is.
func (f *field) trials(s set, parts map[string][]*Group) (trials []blame.Trial, open bool) {
	trials = []blame.Trial{trial(s.Group, s.decision.Verdict)}
	names := s.Names()
	for _, name := range names {
		for _, part := range parts[name] {
			if len(part.Nodes) >= len(names) || !subset(part.Names(), names) {
				continue
			}
			d := f.decideBy(s.fleet, part)
			if again := attempt.AwaitsMeasurement(part.Attempts); again || d.Verdict == v1alpha1.VerdictPending && !d.NeedsAttempt {
				open = open || !again || f.missingMember(part) == nil && f.start(part, 0, WhyAgain(part.Attempts))
				continue
			}
			if part.Verdict == v1alpha1.VerdictPending {
				f.conclude(part, asMeasuredLast(part))
			}
			trials = append(trials, trial(part, d.Verdict))
		}
	}
	return trials, open
}

func trial(g *Group, v v1alpha1.Verdict) blame.Trial {
	return blame.Trial{Members: g.Names(), Slow: v == v1alpha1.VerdictFail || v == v1alpha1.VerdictPending,
		Failed: v == v1alpha1.VerdictError || v == v1alpha1.VerdictMissing || v == v1alpha1.VerdictSkipped}
}
