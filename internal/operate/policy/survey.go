package policy

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/policy/needs"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
)

// surveyed are the selected nodes, and what is to be said and done about each.
type surveyed struct {
	nodes []node
	// reserved is the first node that the selector takes in and Kubernetes keeps for itself, of so many.
	reserved      *corev1.Node
	reservedNodes int
	// expiry is when the next valid pass ceases to be one by age; zero: none does.
	expiry time.Time
	next   alarm
}

func (u *understood) survey() surveyed {
	s := surveyed{nodes: make([]node, 0, len(u.Nodes))}
	u.Memory.Begin(u.terms)
	for n := range list.Each(u.Nodes) {
		if !u.selector.Matches(labels.Set(n.Object.Labels)) || !n.Object.DeletionTimestamp.IsZero() {
			continue
		}
		if workload.Reserved(n.Object) != "" {
			s.reservedNodes++
			if s.reserved == nil || n.Object.Name < s.reserved.Name {
				s.reserved = n.Object
			}
			continue
		}
		s.nodes = append(s.nodes, node{Node: n, seen: n.Seen})
		one := &s.nodes[len(s.nodes)-1]
		u.examine(one)
		u.wake(&s.next, time.Time(one.next))
		if e := u.expires(one); !e.IsZero() && (s.expiry.IsZero() || e.Before(s.expiry)) {
			s.expiry = e
		}
	}
	u.Memory.End()
	return s
}

// expires is when the node's pass ceases to be one by age; zero: it has none, or never.
func (u *understood) expires(n *node) time.Time {
	if !n.Holds() {
		return time.Time{}
	}
	return u.terms.Expires(n.Oldest)
}

// examine one node.
func (u *understood) examine(n *node) {
	n.Judgement = u.Memory.Judge(u.terms, n.subject())
	n.gated = u.gate.closedFor(n.Object)
	u.noteGate(n)
	if run := u.runs.of(n.Object, ""); run != nil {
		n.run = run.Name
	}
	u.recallTry(n)
	if n.State != validity.Valid || n.gated {
		n.lack = u.lackOf(n.Node)
	}
	if n.Standing == validity.Failed && !n.lack.Any() && needs.FewDevices(n.Benchmark.Object, n.Object) { // it cannot show otherwise without them
		devices := workload.Devices(n.Benchmark.Object, n.Object)
		n.lack = needs.Lack{Reason: v1alpha1.ReasonNeedsNotMet, Benchmark: n.Benchmark.Object, Devices: devices.Value()}
	}
	n.seen.Overdue = false
	u.sinceWhen(n)
	u.patienceEnds(n)
	u.want(n)
	if n.wants == v1alpha1.ReasonRenewal && !n.when.After(u.now) {
		n.lack = u.lackOf(n.Node)
	}
	u.becomeReady(n)
	u.wake(&n.next, u.expires(n))
}

// recallTry forgets a run that did not come into being, or under its name another leader's, without the node.
func (u *understood) recallTry(n *node) {
	t := &n.seen.Tried
	if t.Run == "" || t.Exists {
		return
	}
	run := u.runs.named(t.Run)
	if t.Exists = run != nil && slices.Contains(run.Spec.NodeNames, n.Object.Name); !t.Exists {
		n.seen.Tried = Tried{}
	}
}

// sinceWhen a node holds no valid pass. What an earlier pass saw counts before what can be told from objects.
func (u *understood) sinceWhen(n *node) {
	switch {
	case n.State == validity.Valid:
		n.seen.DueSince = time.Time{}
		return
	case n.State == validity.Unfit && n.Standing == validity.Failed:
		n.seen.DueSince = time.Time{}
		n.since = u.past(failedSince(n), n)
		return
	case !n.seen.DueSince.IsZero():
	default:
		n.seen.DueSince = u.dueSince(n)
	}
	n.since = u.clamp(n.seen.DueSince)
	n.seen.DueSince = n.since
	if n.State == validity.Unfit {
		return
	}
	n.overdue = !u.now.Before(n.since.Add(seconds(u.spec.OverdueSeconds)))
	n.seen.Overdue = n.overdue
	u.wake(&n.next, n.since.Add(seconds(u.spec.OverdueSeconds)))
}

// past is a time that the clock was set back from, as it was last said to be, or else now.
func (u *understood) past(at time.Time, n *node) time.Time {
	if a := u.listed[n.Object.Name]; at.After(u.now) && a != nil {
		at = a.Since.Time
	}
	return u.clamp(at)
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
func (u *understood) dueSince(n *node) time.Time {
	if a := u.listed[n.Object.Name]; a != nil && !listsGate(a.Reason) {
		return a.Since.Time
	}
	told := u.told(n)
	if n.Object.Labels[v1alpha1.LabelOverdue] == u.Policy.Name {
		if overdue := u.now.Add(-seconds(u.spec.OverdueSeconds)); overdue.Before(told) {
			return overdue
		}
	}
	return told
}

// listsGate: a row with this reason is about the gate of a valid node.
func listsGate(reason string) bool {
	return reason == v1alpha1.ReasonSuspended || reason == v1alpha1.ReasonGateNotAllowed || reason == v1alpha1.ReasonGateConflict
}

func (u *understood) told(n *node) time.Time {
	if s := u.Policy.Status.ObservedGeneration; s > 0 && s != u.Policy.Generation {
		return u.now
	}
	switch n.Standing {
	case validity.Requested:
		return u.terms.Requested
	case validity.Expired:
		return u.notBefore(u.terms.Expires(n.At))
	case validity.Unmeasured:
		if u.First {
			return u.notBefore(n.At)
		}
	case validity.Changed:
		if _, since := workload.Readiness(n.Object); since.After(n.At) && (u.First || n.Change == v1alpha1.ChangeReboot) {
			return u.notBefore(since)
		}
	case validity.Never:
		if u.First {
			return u.notBefore(n.Object.CreationTimestamp.Time)
		}
	}
	return u.now
}

// notBefore the policy was there, nor before all nodes were valid.
func (u *understood) notBefore(at time.Time) time.Time {
	for _, bound := range []time.Time{u.Policy.CreationTimestamp.Time, u.unsatisfiedSince()} {
		if bound.After(at) {
			at = bound
		}
	}
	return at
}
