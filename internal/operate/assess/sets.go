package assess

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/blame"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// judgeGroups gives every node its verdict by the group benchmarks, one after the other, and marks the groups that are due.
// They come after all that nodes are measured for alone, so that a node known to be unfit spoils no measurement.
func (s *state) judgeGroups() {
	ready := s.decided(func(i int) bool { return !s.tasks[i].IsGroup() })
	for i := range s.tasks {
		if !s.tasks[i].IsGroup() {
			continue
		}
		why := message.GroupsWait()
		if ready {
			why = s.awaitsDevices(i)
		}
		if ready = why == ""; !ready {
			for _, n := range s.nodes {
				n.decisions[i] = verdict.Decision{Verdict: v1alpha1.VerdictPending, Message: why}
			}
			s.keepStored(i)
			continue
		}
		s.judgeGroupTask(i)
		ready = s.decided(func(j int) bool { return j == i })
	}
}

// decided: every node has a verdict by the chosen tasks.
func (s *state) decided(chosen func(int) bool) bool {
	for _, n := range s.nodes {
		for i := range s.tasks {
			if chosen(i) && n.decisions[i].Verdict == v1alpha1.VerdictPending {
				return false
			}
		}
	}
	return true
}

func (s *state) judgeGroupTask(i int) {
	members := s.members(i)
	if size := s.tasks[i].Benchmark.Spec.Group.Size; size.Type == intstr.Int && size.IntVal == 2 {
		s.judgePairs(i, members)
	} else {
		s.judgeSets(i, members)
	}
	s.keepStored(i)
}

// excluded says why a node takes no part in a group benchmark, whatever becomes of it.
func (s *state) excluded(n *Node, i int) (d verdict.Decision, out bool) {
	l := n.lacks[i]
	if l.never() {
		return l.skip(), true
	}
	for j, d := range n.decisions {
		alone := !s.tasks[j].IsGroup() && verdict.Severity(d.Verdict) > verdict.Severity(v1alpha1.VerdictInconclusive)
		if alone || s.tasks[j].IsGroup() && j < i && d.Verdict == v1alpha1.VerdictFail {
			return verdict.Decision{Verdict: v1alpha1.VerdictSkipped, Reason: v1alpha1.ReasonNodeTestsFailed,
				Message: message.ExcludedFromGroups(s.tasks[j].Name())}, true
		}
	}
	if l.missing() { // with fewer devices than its partners it would spoil what they measure
		return verdict.Decision{Verdict: v1alpha1.VerdictError, Reason: l.reason, Message: l.message}, true
	}
	return verdict.Decision{}, false
}

// judgeSets judges groups of more than two nodes: each is measured once, and again where it failed.
func (s *state) judgeSets(i int, members []*Node) {
	groups, left := s.drawSets(i, members)
	for _, n := range members {
		if why := left[n.name]; why != "" {
			n.decisions[i] = verdict.Decision{Verdict: v1alpha1.VerdictSkipped, Reason: v1alpha1.ReasonNotGrouped, Message: why}
		}
	}
	s.compareSets(i, groups)
	for _, g := range groups {
		s.judgeSet(i, g)
	}
	parts := s.partsOf(i, groups)
	for _, g := range groups {
		found, done := s.narrow(i, g, parts)
		if !done {
			g.decision = verdict.Decision{Verdict: v1alpha1.VerdictPending, Headline: g.decision.Headline,
				Message: message.GroupBisected(g.decision.Message)}
		}
		s.reportSet(i, g, found)
	}
	s.settleUnavailable(i, members, true)
}

// narrow measures parts of a group that is slow until the part or the boundary that makes it slow is known. Where what it reaches depends on
// the number of nodes, parts of it cannot be compared with it.
func (s *state) narrow(i int, g *Group, parts map[string][]*Group) (found []blame.Finding, done bool) {
	d := g.decision
	spec := s.tasks[i].Benchmark.Spec.Group
	if d.Verdict != v1alpha1.VerdictFail || d.Reason != v1alpha1.ReasonBelowExpectation || s.dependsOnSize(i, firstMetric(d)) || len(spec.Sizes) > 0 {
		return nil, true
	}
	members := make([]blame.Node, len(g.nodes))
	for m, name := range g.names() {
		members[m] = blame.Node{Name: name, Place: s.node(name).label(cmp.Or(spec.Across, spec.Topology))}
	}
	split := blame.Bisect(members, s.trials(i, g, parts))
	if split.Done || s.groupsClosed() {
		return split.Findings, true
	}
	due := false
	for _, set := range split.Next {
		part := s.groupOf(i, set)
		due = s.missingMember(part) == nil && s.makeDue(part, 0, message.PartOfSlowGroup()) || due
	}
	return nil, !due
}

// partsOf are the sets that were measured but not drawn, by their first node: each can only be part of a group that has it.
func (s *state) partsOf(i int, drawn []*Group) map[string][]*Group {
	out := map[string][]*Group{}
	own := make(map[*Group]bool, len(drawn))
	for _, g := range drawn {
		own[g] = true
	}
	for _, g := range s.sortedGroups() {
		if g.task == i && !own[g] && len(g.nodes) > 0 && len(g.attempts()) > 0 {
			out[g.nodes[0].Name] = append(out[g.nodes[0].Name], g)
		}
	}
	return out
}

// trials are the group and its parts as far as they were measured.
func (s *state) trials(i int, g *Group, parts map[string][]*Group) []blame.Trial {
	trials := []blame.Trial{trial(g, g.decision.Verdict)}
	names := g.names()
	for _, name := range names {
		for _, part := range parts[name] {
			if len(part.nodes) >= len(names) || !subset(part.names(), names) {
				continue
			}
			first := part.attempts()[0]
			if part.result.Verdict == v1alpha1.VerdictPending {
				s.storeGroup(part, verdict.Decision{Verdict: first.Verdict, Reason: first.Reason, Message: first.Message})
			}
			part.fleet = g.fleet
			trials = append(trials, trial(part, s.decideSet(i, part).Verdict))
		}
	}
	return trials
}

func trial(g *Group, v v1alpha1.Verdict) blame.Trial {
	return blame.Trial{Members: g.names(), Slow: v == v1alpha1.VerdictFail || v == v1alpha1.VerdictPending,
		Failed: v == v1alpha1.VerdictError || v == v1alpha1.VerdictMissing || v == v1alpha1.VerdictSkipped}
}

func (s *state) judgeSet(i int, g *Group) {
	s.settleSet(i, g, 0, message.FirstAttempt(), s.decideSet)
	g.decision = s.withSizes(i, g, g.decision)
	s.storeGroup(g, g.decision)
}

// settleSet decides about a group by its attempts, and marks it as due where that needs one; reason is that of the first.
func (s *state) settleSet(i int, g *Group, round int32, reason string, decide func(i int, g *Group) verdict.Decision) {
	attempts, away := g.attempts(), s.missingMember(g)
	g.decision = verdict.Decision{Verdict: v1alpha1.VerdictPending, Message: message.GroupDue(message.Nodes(g.names()))}
	if len(attempts) > 0 {
		g.decision = decide(i, g)
	}
	switch {
	case g.decision.Verdict == v1alpha1.VerdictPending && away != nil:
		g.decision = verdict.Decision{Verdict: v1alpha1.VerdictError, Reason: away.unavailable.Reason, Headline: g.decision.Headline,
			Message: quantity.Clip(message.GroupIncomplete(away.name, away.unavailable.Message, g.decision.Message), 1024)}
	case len(attempts) == 0:
		s.makeDue(g, round, reason)
	case g.decision.NeedsAttempt:
		s.makeDue(g, round, cmp.Or(whyAgain(attempts), message.Confirmation(int32(len(attempts)+1))))
	}
	if g.decision.Verdict == v1alpha1.VerdictPending && s.groupsClosed() {
		waited := ""
		for _, name := range g.names() {
			waited = cmp.Or(waited, s.waitedFor(s.node(name), i))
		}
		g.decision = s.notMeasured(i, waited)
	}
}

func (s *state) decideSet(i int, g *Group) verdict.Decision {
	return s.decideBy(g.fleet, i, g)
}

func (s *state) decideBy(fleet *verdict.Judge, i int, g *Group) verdict.Decision {
	peaks, ports := make([]peak.Peaks, len(g.nodes)), map[string]peak.Ports{}
	for m, name := range g.names() {
		ports[name] = s.node(name).portsOf()
		peaks[m] = s.node(name).peaks.WithPorts(ports[name])
	}
	facts := rule.Given{Node: g.id, Peaks: peak.Group(peaks), Smaller: s.smaller(i, g)}
	return s.overSockets(g, ports, fleet.Decide(attempt.Alike(g.attempts()), facts, *s.run.Spec.Confirmations))
}

// reportSet puts what a group showed into the rows of its nodes. A slow group convicts none of them.
func (s *state) reportSet(i int, g *Group, parts []blame.Finding) {
	d := g.decision
	for _, f := range parts {
		s.addFinding(v1alpha1.FabricFinding{Kind: string(f.Kind), Benchmark: s.tasks[i].Name(), Metric: firstMetric(d), Members: f.Names,
			Message: message.AllTogether(f.Message, d.Message)})
	}
	if d.Verdict == v1alpha1.VerdictFail && len(parts) == 0 {
		s.addFinding(v1alpha1.FabricFinding{Kind: "Set", Benchmark: s.tasks[i].Name(), Metric: firstMetric(d), Members: g.names(),
			Message: message.SlowGroup(message.Nodes(g.names()), d.Message)})
	}
	for _, name := range g.names() {
		n := s.node(name)
		own := g.decisionOf(name)
		if verdict.Severity(own.Verdict) < verdict.Severity(n.decisions[i].Verdict) && n.decisions[i].Verdict != "" &&
			own.Verdict != v1alpha1.VerdictPending {
			continue // the worse of two groups stays
		}
		n.decisions[i] = own
		if len(g.attempts()) > 0 {
			n.grouped[i] = s.extract(g, n, own)
		}
	}
}

// decisionOf one of the group's nodes.
func (g *Group) decisionOf(name string) verdict.Decision {
	d, others, wrong := g.decision, g.others(name), g.wrong[name]
	proved := d.Verdict == v1alpha1.VerdictPass || d.Verdict == v1alpha1.VerdictInconclusive
	d.Curves = nil // the group's result has them
	switch {
	case d.Verdict == v1alpha1.VerdictFail:
		d.Verdict, d.Reason, d.Findings = v1alpha1.VerdictError, v1alpha1.ReasonSuspect, nil
		d.Message = message.SlowWithOthers(others, d.Message)
	case proved && wrong != "":
		d.Verdict, d.Reason, d.Message = v1alpha1.VerdictError, v1alpha1.ReasonSuspect, message.WithOthers(others, wrong)
	case d.Message != "":
		d.Message = message.WithOthers(others, d.Message)
	}
	d.Message = quantity.Clip(d.Message, 1024)
	d.NeedsAttempt = false
	return d
}

func firstMetric(d verdict.Decision) string {
	if len(d.Findings) > 0 {
		return d.Findings[0].Metric
	}
	return ""
}

// addFinding adds a finding, as many as the status holds.
func (s *state) addFinding(f v1alpha1.FabricFinding) {
	const most, members = 50, 16
	f.Members = f.Members[:min(len(f.Members), members)]
	f.Message = quantity.Clip(f.Message, 1024)
	known := slices.ContainsFunc(s.findings, func(o v1alpha1.FabricFinding) bool {
		return o.Kind == f.Kind && o.Benchmark == f.Benchmark && o.Metric == f.Metric && slices.Equal(o.Members, f.Members)
	})
	if !known && len(s.findings) < most {
		s.findings = append(s.findings, f)
	}
}

// maxNote is the bound of the API on a note; what a note is about comes first in it, as names may be long.
const maxNote = 512

// extract is what a node's result keeps of a group's: its headline, and where the rest is.
func (s *state) extract(g *Group, n *Node, d verdict.Decision) []v1alpha1.Attempt {
	last := g.attempts()[len(g.attempts())-1]
	a := v1alpha1.Attempt{Number: 1, Verdict: last.Verdict, Reason: last.Reason, Message: last.Message, Version: last.Version, ImageID: last.ImageID,
		StartTime: last.StartTime, EndTime: last.EndTime, LaunchTime: last.LaunchTime, Configuration: last.Configuration,
		Machine: s.machineIn(n, g, last),
		Notes:   []string{quantity.Clip(message.NoteOfGroup(g.id, g.others("")), maxNote)}}
	for _, h := range d.Headline {
		a.Measurements = append(a.Measurements, v1alpha1.Measurement{Name: h.Metric, Unit: h.Unit,
			Parts: []v1alpha1.PartValue{{At: h.At, Value: h.Value}}})
	}
	return []v1alpha1.Attempt{a}
}
