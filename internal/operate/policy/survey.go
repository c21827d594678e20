package policy

import (
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/policy/needs"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
)

// survey finds the selected nodes, and what is to be said and done about each.
func (p *pass) survey() {
	p.listed = make(map[string]*v1alpha1.NodeAttention, len(p.Policy.Status.Attention))
	for i := range p.Policy.Status.Attention {
		a := &p.Policy.Status.Attention[i]
		p.listed[a.Name] = a
	}
	p.gate = p.newGate()
	p.Memory.Begin(p.terms)
	p.nodes = make([]node, 0, len(p.Nodes))
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if !p.selector.Matches(labels.Set(n.Object.Labels)) || !n.Object.DeletionTimestamp.IsZero() {
			continue
		}
		if workload.Reserved(n.Object) != "" {
			p.reservedNodes++
			if p.reservedNode == nil || n.Object.Name < p.reservedNode.Name {
				p.reservedNode = n.Object
			}
			continue
		}
		p.nodes = append(p.nodes, node{Node: n, seen: n.Seen})
		p.examine(&p.nodes[len(p.nodes)-1])
	}
	p.Memory.End()
}

// examine one node.
func (p *pass) examine(n *node) {
	n.Judgement = p.Memory.Judge(p.terms, n.subject())
	n.gated = p.gate.closedFor(n.Object)
	p.noteGate(n)
	if run := p.runs.of(n.Object); run != nil {
		n.run = run.Name
	}
	p.recallTry(n)
	if n.State != validity.Valid || n.gated {
		n.lack = p.lackOf(n.Node)
	}
	if n.Standing == validity.Failed && !n.lack.Any() && needs.FewDevices(n.Benchmark.Object, n.Object) { // it cannot show otherwise without them
		devices := workload.Devices(n.Benchmark.Object, n.Object)
		n.lack = needs.Lack{Reason: v1alpha1.ReasonNeedsNotMet, Benchmark: n.Benchmark.Object, Devices: devices.Value()}
	}
	p.sinceWhen(n)
	p.patienceEnds(n)
	p.want(n)
	if n.wants == v1alpha1.ReasonRenewal && !n.when.After(p.now) {
		n.lack = p.lackOf(n.Node)
	}
	p.becomeReady(n)
	if n.Holds() {
		p.wake(p.terms.Expires(n.Oldest))
		if e := p.terms.Expires(n.Oldest); !e.IsZero() && (p.plan.NextExpiry.IsZero() || e.Before(p.plan.NextExpiry)) {
			p.plan.NextExpiry = e
		}
	}
}

// recallTry forgets a run that did not come into being.
func (p *pass) recallTry(n *node) {
	t := &n.seen.Tried
	if t.Run == "" || t.Exists {
		return
	}
	if t.Exists = p.runs.named(t.Run) != nil; !t.Exists {
		n.seen.Tried = Tried{}
	}
}

// sinceWhen a node holds no valid pass. What an earlier pass saw counts before what can be told from objects.
func (p *pass) sinceWhen(n *node) {
	switch {
	case n.State == validity.Valid:
		n.seen.DueSince = time.Time{}
		return
	case n.State == validity.Unfit && n.Standing == validity.Failed:
		n.seen.DueSince = time.Time{}
		n.since = p.past(failedSince(n), n)
		return
	case !n.seen.DueSince.IsZero():
	default:
		n.seen.DueSince = p.dueSince(n)
	}
	n.since = p.clamp(n.seen.DueSince)
	n.seen.DueSince = n.since
	if n.State == validity.Unfit {
		return
	}
	n.overdue = !p.now.Before(n.since.Add(seconds(p.spec.OverdueSeconds)))
	p.wake(n.since.Add(seconds(p.spec.OverdueSeconds)))
}

// past is a time that the clock was set back from, as it was last said to be, or else now.
func (p *pass) past(at time.Time, n *node) time.Time {
	if a := p.listed[n.Object.Name]; at.After(p.now) && a != nil {
		at = a.Since.Time
	}
	return p.clamp(at)
}

// failedSince is the first failure since the last pass.
func failedSince(n *node) time.Time {
	first := n.At
	h := n.Validation.Benchmark(n.Benchmark.Object.Name)
	for i := len(h.History) - 1; i >= 0 && h.History[i].Verdict == v1alpha1.VerdictFail; i-- {
		first = h.History[i].Time.Time
	}
	return first
}

// dueSince is the best that is known of a node that no pass of this process has seen due: what the status says, or what its objects tell. A
// policy that was edited makes nodes due now, and so does what happens while this process looks on.
func (p *pass) dueSince(n *node) time.Time {
	if a := p.listed[n.Object.Name]; a != nil && !listsGate(a.Reason) {
		return a.Since.Time
	}
	told := p.told(n)
	if n.Object.Labels[v1alpha1.LabelOverdue] == p.Policy.Name {
		if overdue := p.now.Add(-seconds(p.spec.OverdueSeconds)); overdue.Before(told) {
			return overdue
		}
	}
	return told
}

// listsGate: a row with this reason is about the gate of a valid node.
func listsGate(reason string) bool {
	return reason == v1alpha1.ReasonSuspended || reason == v1alpha1.ReasonGateNotAllowed || reason == v1alpha1.ReasonGateConflict
}

func (p *pass) told(n *node) time.Time {
	if s := p.Policy.Status.ObservedGeneration; s > 0 && s != p.Policy.Generation {
		return p.now
	}
	switch n.Standing {
	case validity.Requested:
		return p.terms.Requested
	case validity.Expired:
		return p.notBefore(p.terms.Expires(n.At))
	case validity.Unmeasured:
		if p.First {
			return p.notBefore(n.At)
		}
	case validity.Changed:
		if _, since := needs.Readiness(n.Object); since.After(n.At) && (p.First || n.Change == v1alpha1.ChangeReboot) {
			return p.notBefore(since)
		}
	case validity.Never:
		if p.First {
			return p.notBefore(n.Object.CreationTimestamp.Time)
		}
	}
	return p.now
}

// notBefore the policy was there, nor before all nodes were valid.
func (p *pass) notBefore(at time.Time) time.Time {
	for _, bound := range []time.Time{p.Policy.CreationTimestamp.Time, p.unsatisfiedSince()} {
		if bound.After(at) {
			at = bound
		}
	}
	return at
}
