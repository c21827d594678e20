package tournament

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/blame"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/quantity"
)

// set is a group of more than two nodes, as it is judged.
type set struct {
	*Group
	// fleet of groups that it is compared with.
	fleet    *verdict.Judge
	decision verdict.Decision
	// wrong data that some of its nodes computed at a smaller size, by node.
	wrong map[string]string
}

// judgeSets judges groups of more than two nodes by their own attempts, and those of their sizes: each is measured once, and again where it failed.
func (f *field) judgeSets(members []*Node) {
	groups, left := f.drawSets(members)
	for _, n := range members {
		if why := left[n.Name]; why != "" {
			f.Shown[n.Name] = Shown{Decision: verdict.Decision{Verdict: v1alpha1.VerdictSkipped, Reason: v1alpha1.ReasonNotGrouped, Message: why}}
		}
	}
	sets := f.compareSets(groups)
	for s := range list.Each(sets) {
		d := f.settleSet(s.Group, 0, plan.FirstAttempt, func(g *Group) verdict.Decision { return f.decideBy(s.fleet, g) })
		s.decision, s.wrong = f.withSizes(s.Group, d)
		f.conclude(s.Group, s.decision)
	}
	parts := f.partsOf(groups)
	for _, s := range sets {
		found, done := f.narrow(s, parts)
		if !done {
			s.decision = verdict.Decision{Verdict: v1alpha1.VerdictPending, Headline: s.decision.Headline,
				Message: "slow: measuring smaller groups to find the cause: " + s.decision.Message}
		}
		f.reportSet(s, found)
	}
	f.settle(members, true)
}

// conclude what the result of a group is to say, unless there is none or it says so already.
func (f *field) conclude(g *Group, d verdict.Decision) {
	if len(g.Attempts) > 0 && d.Verdict != v1alpha1.VerdictPending && (g.Changed || g.Verdict != d.Verdict) {
		f.Concluded = append(f.Concluded, Concluded{g.ID, d})
	}
}

// settleSet decides about a group by its attempts, and starts another one where that needs it; reason is that of the first.
func (f *field) settleSet(g *Group, round int32, reason string, decide func(*Group) verdict.Decision) verdict.Decision {
	away := f.missingMember(g)
	d := verdict.Decision{Verdict: v1alpha1.VerdictPending, Message: "to be measured with " + message.Nodes(g.Names())}
	if len(g.Attempts) > 0 {
		d = decide(g)
	}
	switch {
	case d.Verdict == v1alpha1.VerdictPending && away != nil:
		why := f.away[away.Name]
		d = verdict.Decision{Verdict: v1alpha1.VerdictError, Reason: why.Reason, Headline: d.Headline,
			Message: quantity.Clip(message.Because(fmt.Sprintf("cannot be measured without node %s (%s)", away.Name, why.Message), d.Message), 1024)}
	case len(g.Attempts) == 0:
		f.start(g, round, reason)
	case d.NeedsAttempt:
		f.start(g, round, cmp.Or(WhyAgain(g.Attempts), plan.Confirmation(int32(len(g.Attempts)+1))))
	}
	if d.Verdict == v1alpha1.VerdictPending && f.closed() {
		waited := ""
		for _, ref := range g.Nodes {
			waited = cmp.Or(waited, f.nodes[ref.Name].Waited)
		}
		d = f.notMeasured(waited)
	}
	return d
}

func (f *field) decideBy(fleet *verdict.Judge, g *Group) verdict.Decision {
	peaks, ports := make([]peak.Peaks, len(g.Nodes)), map[string]peak.Ports{}
	for m, ref := range g.Nodes {
		n := f.nodes[ref.Name]
		ports[ref.Name] = n.Ports
		peaks[m] = n.Peaks.WithPorts(n.Ports)
	}
	facts := rule.Given{Node: g.ID, Peaks: peak.Group(peaks), Smaller: f.smaller(g)}
	return overSockets(g, ports, fleet.Decide(attempt.Alike(g.Attempts), facts, *f.Run.Spec.Confirmations))
}

// sockets are the transport that NCCL used between nodes, if it was sockets anywhere; else it is empty.
func (g *Group) sockets() string {
	if a := attempt.LastMeasured(g.Attempts); a != nil {
		for _, f := range a.Facts {
			if f.Name == v1alpha1.FactTransport && strings.Contains(f.Value, "Socket") {
				return f.Value
			}
		}
	}
	return ""
}

// overSockets decides about a group whose NCCL used sockets although its nodes have RDMA.
func overSockets(g *Group, ports map[string]peak.Ports, d verdict.Decision) verdict.Decision {
	used := g.sockets()
	if used == "" {
		return d
	}
	if g.Fabric != nil && g.Fabric.Resource != "" {
		return d.OverSockets(fmt.Sprintf("NCCL used %s between nodes, although its pods had %s: how fast that is says nothing about the fabric; %s",
			used, g.Fabric.Resource, mendTransport))
	}
	for _, name := range g.Names() {
		if p := ports[name]; p.Active > 0 {
			return d.OverSockets(fmt.Sprintf("NCCL used %s between nodes, although %s has %s of %.4g Gb/s together: how fast that is says nothing "+
				"about the fabric; %s", used, name, message.Several(p.Active, "active RDMA port"), p.Gbps, mendTransport))
		}
	}
	return d
}

// reportSet puts what a group showed into the rows of its nodes. A slow group convicts none of them.
func (f *field) reportSet(s set, parts []blame.Finding) {
	d := s.decision
	for _, p := range parts {
		f.find(string(p.Kind), firstMetric(d), p.Names, p.Message+"; all together: "+d.Message)
	}
	if d.Verdict == v1alpha1.VerdictFail && len(parts) == 0 {
		f.find("Set", firstMetric(d), s.Names(), slowGroup(message.Nodes(s.Names()), d.Message))
	}
	for _, name := range s.Names() {
		own, before := s.decisionOf(name), f.Shown[name]
		if before.Verdict == v1alpha1.VerdictPending || verdict.Severity(own.Verdict) < verdict.Severity(before.Verdict) && own.Verdict != v1alpha1.VerdictPending {
			continue // of two groups the one that is still open stays, and then the worse
		}
		before.Decision = own
		if len(s.Attempts) > 0 {
			before.Attempts = f.extract(s.Group, f.nodes[name], own)
		}
		f.Shown[name] = before
	}
}

// decisionOf one of the group's nodes.
func (s set) decisionOf(name string) verdict.Decision {
	d, others, wrong := s.decision, s.Others(name), s.wrong[name]
	proved := d.Verdict == v1alpha1.VerdictPass || d.Verdict == v1alpha1.VerdictInconclusive
	d.Curves = nil // the group's result has them
	switch {
	case d.Verdict == v1alpha1.VerdictFail:
		d.Verdict, d.Reason, d.Findings = v1alpha1.VerdictError, v1alpha1.ReasonSuspect, nil
		d.Message = slowWithOthers(others, d.Message)
	case proved && wrong != "":
		d.Verdict, d.Reason, d.Message = v1alpha1.VerdictError, v1alpha1.ReasonSuspect, withOthers(others, wrong)
	case d.Message != "":
		d.Message = withOthers(others, d.Message)
	}
	d.Message = quantity.Clip(d.Message, 1024)
	d.NeedsAttempt = false
	return d
}

// maxNote is the bound of the API on a note; what a note is about comes first in it, as names may be long.
const maxNote = 512

// extract is what a node's result keeps of a group's: its headline, and where the rest is.
func (f *field) extract(g *Group, n *Node, d verdict.Decision) []v1alpha1.Attempt {
	last := g.Attempts[len(g.Attempts)-1]
	a := v1alpha1.Attempt{Number: 1, Verdict: last.Verdict, Reason: last.Reason, Message: last.Message, Version: last.Version, ImageID: last.ImageID,
		StartTime: last.StartTime, EndTime: last.EndTime, LaunchTime: last.LaunchTime, Configuration: last.Configuration,
		Machine: f.machineIn(n, g, last),
		Notes:   []string{quantity.Clip(fmt.Sprintf("ValidationResult %s has all figures: measured together with %s", g.ID, g.Others("")), maxNote)}}
	for _, h := range d.Headline {
		a.Measurements = append(a.Measurements, v1alpha1.Measurement{Name: h.Metric, Unit: h.Unit,
			Parts: []v1alpha1.PartValue{{At: h.At, Value: h.Value}}})
	}
	return []v1alpha1.Attempt{a}
}
