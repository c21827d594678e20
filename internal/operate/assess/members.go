package assess

import (
	"slices"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/blame"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/plan"
)

// passOverAfter is how long a tournament waits for a pair of which a node is busy or blocked, once everything else of its round is
// played. One node whose driver hangs must not keep the fleet from its verdicts.
const passOverAfter = 5 * time.Minute

// members are the nodes that a group benchmark is about: those that can be measured now, and those that it was begun with. That
// one of these is cordoned, deleted or busy by now changes neither who meets whom nor what was measured; it is away, and
// nothing more is started with it. The others get their decision here. What befalls a node while the run is suspended is looked at when
// it goes on. A node that sat out and has its verdict does not join any more: nothing could change that verdict.
func (s *state) members(i int) []*Node {
	begun := s.begunWith(i)
	var members []*Node
	for _, n := range s.nodes {
		n.unavailable = nil
		if kept := s.storedRow(n, i); kept != nil && !begun[n.name] {
			n.decisions[i] = decisionOf(kept)
			continue
		}
		d, gone := s.unavailable(n)
		gone = gone && !s.run.Spec.Suspend
		if gone && d.Reason == v1alpha1.ReasonNodeNotReady && begun[n.name] {
			d.Verdict = v1alpha1.VerdictError // it was lost while it was measured: that is no reason to pass without it
		}
		out := gone && !begun[n.name]
		if !out {
			if why, never := s.excluded(n, i); never {
				d, out = why, true
			} else if s.mpiMissing && len(begun) == 0 {
				d, out = s.notMeasured(i, ""), true
			}
		}
		if out {
			n.decisions[i] = d
			continue
		}
		if gone {
			n.unavailable = &d
		}
		members = append(members, n)
	}
	return members
}

// begunWith are the nodes that a group benchmark has measured, or measures now, by name.
func (s *state) begunWith(i int) map[string]bool {
	begun := map[string]bool{}
	for _, g := range s.groups {
		if g.task != i || len(g.attempts()) == 0 && g.running() == nil {
			continue
		}
		for _, ref := range g.nodes {
			begun[ref.Name] = true
		}
	}
	return begun
}

// running is the group's job that measures now, nil for none.
func (g *Group) running() *Job {
	for _, j := range g.jobs {
		if !j.ended && !j.terminating && int(j.attempt) == len(g.attempts())+1 {
			return j
		}
	}
	return nil
}

// keepRunning lets the jobs of a tournament end whose pairs are not drawn any more, because somebody came or left: what they
// measure is as good as any.
func (s *state) keepRunning(t *tournament) bool {
	kept := false
	for _, g := range s.groups {
		if j := g.running(); j != nil && g.task == t.task && len(g.nodes) == 2 && t.has(g) {
			kept = s.makeDue(g, j.round, message.PairBegunEarlier()) || kept
		}
	}
	return kept
}

// passedOver: a pair cannot be measured in this round, so that the tournament goes on without it.
func (s *state) passedOver(t *tournament, p blame.Pair) bool {
	for _, name := range []string{p.A, p.B} {
		n := s.node(name)
		if n.unavailable != nil {
			return true
		}
		if n.busy == "" && n.ending == "" || t.lastEnd.IsZero() {
			continue
		}
		since := t.lastEnd
		if s.started.After(since) { // it was suspended meanwhile
			since = s.started
		}
		if until := since.Add(passOverAfter); s.now.Before(until) {
			s.recheckAt(until)
		} else {
			return true
		}
	}
	return false
}

// settleUnavailable gives nodes that left in the middle of a benchmark the reason of that, but for what was proved of them before. What
// is whole is good for a node that is only cordoned or busy since.
func (s *state) settleUnavailable(i int, members []*Node, whole bool) {
	for _, n := range members {
		switch {
		case n.unavailable == nil:
		case n.facts.Recreated:
			n.decisions[i], n.grouped[i] = *n.unavailable, nil // it was another machine
		case n.decisions[i].Verdict == v1alpha1.VerdictFail:
		case whole && n.unavailable.Verdict == v1alpha1.VerdictSkipped && len(n.grouped[i]) > 0:
		default:
			n.decisions[i] = *n.unavailable
		}
	}
}

// keepStored leaves a node's stored verdict as it is, whatever became of the node since: a taint may rest on it.
func (s *state) keepStored(i int) {
	for _, n := range s.nodes {
		b := s.storedRow(n, i)
		if b == nil {
			continue
		}
		kept := decisionOf(b)
		if now := n.decisions[i]; now.Verdict == b.Verdict {
			kept.Terms = now.Terms
		} else {
			kept.Terms.Broken = term.BrokenBy(b.Findings)
		}
		n.decisions[i], n.grouped[i] = kept, b.Attempts
	}
}

// storedRow is what is stored of a node by a benchmark, once the node has its verdict; nil before.
func (s *state) storedRow(n *Node, i int) *v1alpha1.BenchmarkResult {
	if n.stored == nil || n.stored.Verdict == "" || n.stored.Verdict == v1alpha1.VerdictPending {
		return nil
	}
	if b := n.stored.Benchmark(s.tasks[i].Name()); b != nil && b.Verdict != v1alpha1.VerdictPending {
		return b
	}
	return nil
}

// allStored: every node has its verdict by a benchmark.
func (s *state) allStored(i int) bool {
	return !slices.ContainsFunc(s.nodes, func(n *Node) bool { return s.storedRow(n, i) == nil })
}

func decisionOf(b *v1alpha1.BenchmarkResult) verdict.Decision {
	return verdict.Decision{Verdict: b.Verdict, Reason: b.Reason, Message: b.Message, Headline: b.Headline, Curves: b.Curves, Findings: b.Findings}
}

// drawSets forms the groups of a benchmark whose groups are not pairs. What was measured or is being measured stays a group,
// even where the nodes of the run have changed since and would be drawn otherwise now.
func (s *state) drawSets(i int, members []*Node) (groups []*Group, left map[string]string) {
	spec := s.tasks[i].Benchmark.Spec.Group
	size := int(spec.Size.IntVal)
	draw := func(keep func(*Node) bool) ([][]string, map[string]string) {
		var in []plan.Member
		for _, n := range members {
			if keep(n) {
				in = append(in, plan.Member{Name: n.name, Within: n.label(spec.Within), Across: n.label(spec.Across)})
			}
		}
		return plan.Draw(in, size, spec.Within, spec.Across)
	}
	groups = s.begunSets(i)
	begun := map[string]bool{}
	for _, g := range groups {
		for _, name := range g.names() {
			begun[name] = true
		}
	}
	drawn, left := draw(func(n *Node) bool { return n.unavailable == nil || begun[n.name] })
	unchanged := !slices.ContainsFunc(groups, func(g *Group) bool {
		return !slices.ContainsFunc(drawn, func(names []string) bool { return slices.Equal(names, g.names()) })
	})
	if !unchanged {
		drawn, left = draw(func(n *Node) bool { return n.unavailable == nil && !begun[n.name] })
	}
	for _, names := range drawn {
		if !slices.ContainsFunc(groups, func(g *Group) bool { return slices.Equal(g.names(), names) }) {
			groups = append(groups, s.groupOf(i, names))
		}
	}
	return groups, left
}

// begunSets are the groups that were measured or are being measured, but for the parts that narrow looks at.
func (s *state) begunSets(i int) []*Group {
	var begun []*Group
	for _, g := range s.sortedGroups() {
		if g.task == i && len(g.nodes) > 0 && (slices.ContainsFunc(g.attempts(), measured) || g.running() != nil) {
			begun = append(begun, g)
		}
	}
	return slices.DeleteFunc(slices.Clone(begun), func(g *Group) bool {
		return slices.ContainsFunc(begun, func(o *Group) bool { return len(o.nodes) > len(g.nodes) && subset(g.names(), o.names()) })
	})
}

// subset: every name is among the others, both sorted.
func subset(names, others []string) bool {
	for _, name := range names {
		if _, found := slices.BinarySearch(others, name); !found {
			return false
		}
	}
	return true
}

// missingMember is a member that the group cannot be measured without, nil for none.
func (s *state) missingMember(g *Group) *Node {
	for _, name := range g.names() {
		if n := s.node(name); n.unavailable != nil && g.running() == nil {
			return n
		}
	}
	return nil
}
