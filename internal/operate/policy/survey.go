package policy

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/policy/needs"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
)

// surveyed are the selected nodes, and what is to be said and done about each.
type surveyed struct {
	*understood
	nodes []node
	// reserved is the first node that the selector takes in and Kubernetes keeps for itself, of so many.
	reserved      *corev1.Node
	reservedNodes int
	// expiry is when the next valid pass ceases to be one by age; zero: none does.
	expiry time.Time
}

func (u *understood) survey() *surveyed {
	s := &surveyed{understood: u, nodes: make([]node, 0, len(u.Nodes))}
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
		s.examine(one)
		list.Sooner(&s.expiry, s.expires(one))
	}
	u.Memory.End()
	return s
}

// expires is when the node's pass ceases to be one by age; zero: it has none, or never.
func (s *surveyed) expires(n *node) time.Time {
	if !n.Holds() {
		return time.Time{}
	}
	return s.terms.Expires(n.Oldest)
}

// examine one node.
func (s *surveyed) examine(n *node) {
	n.Judgement = s.Memory.Judge(s.terms, n.subject())
	n.gated = s.gate.closedFor(n.Object)
	s.noteGate(n)
	if run := s.runs.of(n.Object, ""); run != nil {
		n.run = run.Name
	}
	s.recallTry(n)
	if n.State != validity.Valid || n.gated {
		n.lack = s.lackOf(n.Node)
	}
	if n.Standing == validity.Failed && !n.lack.Any() && needs.FewDevices(n.Benchmark.Object, n.Object) { // it cannot show otherwise without them
		devices := workload.Devices(n.Benchmark.Object, n.Object)
		n.lack = needs.Lack{Reason: v1alpha1.ReasonNeedsNotMet, Benchmark: n.Benchmark.Object, Devices: devices.Value()}
	}
	n.seen.Overdue = false
	s.sinceWhen(n)
	s.patienceEnds(n)
	s.want(n)
	if n.wants == v1alpha1.ReasonRenewal && !n.when.After(s.now) {
		n.lack = s.lackOf(n.Node)
	}
	s.becomeReady(n)
	s.wake(s.expires(n))
}

// recallTry forgets a run that did not come into being, or under its name another leader's, without the node.
func (s *surveyed) recallTry(n *node) {
	t := &n.seen.Tried
	if t.Run == "" || t.Exists {
		return
	}
	run := s.runs.named(t.Run)
	if t.Exists = run != nil && slices.Contains(run.Spec.NodeNames, n.Object.Name); !t.Exists {
		n.seen.Tried = Tried{}
	}
}

// sinceWhen a node holds no valid pass. What an earlier pass saw counts before what can be told from objects.
func (s *surveyed) sinceWhen(n *node) {
	switch {
	case n.State == validity.Valid:
		n.seen.DueSince = time.Time{}
		return
	case n.State == validity.Unfit && n.Standing == validity.Failed:
		n.seen.DueSince = time.Time{}
		n.since = s.past(n.Benchmark.FailedSince(n.Validation.Benchmark(n.Benchmark.Object.Name)), n)
		return
	case !n.seen.DueSince.IsZero():
	default:
		n.seen.DueSince = s.dueSince(n)
	}
	n.since = s.clamp(n.seen.DueSince)
	n.seen.DueSince = n.since
	if n.State == validity.Unfit {
		return
	}
	n.overdue = !s.now.Before(n.since.Add(seconds(s.spec.OverdueSeconds)))
	n.seen.Overdue = n.overdue
	s.wake(n.since.Add(seconds(s.spec.OverdueSeconds)))
}

// past is a time that the clock was set back from, as it was last said to be, or else now.
func (s *surveyed) past(at time.Time, n *node) time.Time {
	if a := s.rowOf(n); at.After(s.now) && a != nil {
		at = a.Since.Time
	}
	return s.clamp(at)
}

// rowOf a node is what the status says of it so far; nil: nothing, or only of a node that had its name before.
func (s *surveyed) rowOf(n *node) *v1alpha1.NodeAttention {
	if a := s.listed[n.Object.Name]; a != nil && !a.Since.Before(&n.Object.CreationTimestamp) {
		return a
	}
	return nil
}

// dueSince is the best that is known of a node that no pass of this process has seen due: what the status says, or what its objects tell. A
// policy that was edited makes nodes due now, and so does what happens while this process looks on.
func (s *surveyed) dueSince(n *node) time.Time {
	if a := s.rowOf(n); a != nil && !slices.Contains(ofGates, a.Reason) {
		return a.Since.Time
	}
	told := s.told(n)
	if n.Object.Labels[v1alpha1.LabelOverdue] == s.Policy.Name {
		return list.Earliest(told, s.now.Add(-seconds(s.spec.OverdueSeconds)))
	}
	return told
}

// ofGates are the reasons of rows that are about the gates of valid nodes.
var ofGates = []string{v1alpha1.ReasonSuspended, v1alpha1.ReasonGateNotAllowed, v1alpha1.ReasonGateConflict, v1alpha1.ReasonGateClosed}

func (s *surveyed) told(n *node) time.Time {
	if seen := s.Policy.Status.ObservedGeneration; seen > 0 && seen != s.Policy.Generation {
		return s.now
	}
	switch n.Standing {
	case validity.Requested:
		return s.terms.Requested
	case validity.Expired:
		return s.notBefore(s.terms.Expires(n.At))
	case validity.Unmeasured:
		if s.First {
			return s.notBefore(n.At)
		}
	case validity.Changed:
		if _, since := workload.Readiness(n.Object); since.After(n.At) && (s.First || n.Change == v1alpha1.ChangeReboot) {
			return s.notBefore(since)
		}
	case validity.Never:
		if s.First {
			return s.notBefore(n.Object.CreationTimestamp.Time)
		}
	}
	return s.now
}

// notBefore the policy was there, nor before all nodes were valid.
func (s *surveyed) notBefore(at time.Time) time.Time {
	if c := meta.FindStatusCondition(s.Policy.Status.Conditions, v1alpha1.ConditionSatisfied); c != nil {
		at = list.Latest(at, c.LastTransitionTime.Time)
	}
	return list.Latest(at, s.Policy.CreationTimestamp.Time)
}
