// Package policy decides what keeps a ValidationPolicy true: which nodes are due and why, which runs to create over which nodes, which gates
// to open, what to say, and when to look again. It is pure: everything that was read goes in, everything that is to be done comes out.
package policy

import (
	"cmp"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
)

// Bounds of one pass and of what a policy does at once.
const (
	// MaxLooks at nodes in one pass.
	MaxLooks = 50
	// maxNodes of one run.
	maxNodes = 1000
	// maxActive runs of a policy; gated nodes may have moreForGated beside them.
	maxActive    = 8
	moreForGated = 2
	// maxAttention rows in the status.
	maxAttention = 50
)

// Snapshot is all that was read for one pass over a policy. Its objects may be the cache's own: nothing here changes them.
type Snapshot struct {
	Policy *v1alpha1.ValidationPolicy
	// Benchmarks that the policy asks for, cheapest first, as Resolve gives them; Unresolved says why there are none.
	Benchmarks []Benchmark
	Unresolved error
	// Profiles that may say how group benchmarks reach other nodes.
	Profiles peak.Profiles
	// Nodes of the cluster, in any order: Next selects.
	Nodes []Node
	// Runs that exist, of everybody.
	Runs []*v1alpha1.ValidationRun
	// Policies that exist, this one among them.
	Policies []*v1alpha1.ValidationPolicy
	// GateAllowed says whether the administrator lets Assay open a gate with this taint key.
	GateAllowed func(key string) bool
	// First: this process has made no pass over the policy before, so that a node may be due for longer than it is known.
	First bool
	// NoRuns: none may be created in this pass.
	NoRuns bool
	// Memory of the passes before; nil: none.
	Memory *Memory
}

// Benchmark is one measurement that the policy asks for.
type Benchmark = validity.Benchmark

// Memory is what the passes over one policy leave to the next.
type Memory = validity.Memory

// Node of the cluster, and what is known of it.
type Node struct {
	Object *corev1.Node
	// Validation of the node; nil: there is none.
	Validation *v1alpha1.NodeValidation
	// Look is the last look at whether somebody uses it.
	Look Look
	// Seen is what earlier passes saw of the node, and no object tells.
	Seen Seen
}

func (n *Node) subject() validity.Node {
	return validity.Node{Object: n.Object, Validation: n.Validation}
}

// Look is what was seen of the pods on a node.
type Look struct {
	// At: when; zero: never.
	At time.Time
	// Busy says what holds the node; empty: it is idle.
	Busy string
}

// Seen is what a pass remembers for the next one; after a restart it begins anew, from what the policy's status tells of at most 50 nodes.
type Seen struct {
	// DueSince, GatedSince: since when; zero: not, as far as is known. GatedSince is when this process first saw the taint, ClosedSince the
	// best that was known then of when the node got it, and Gate that taint: a policy may be edited. Empty: nothing of a gate is known.
	DueSince, GatedSince, ClosedSince time.Time
	Gate                              string
	// LacksSince: since when it lacks what it takes to be measured. ReadySince: since when nothing keeps it from a run but its batch.
	LacksSince, ReadySince time.Time
	// Tried is the last run that it was put into.
	Tried Tried
	// Closed, Overdue, Stuck, Kept and ByHand: an event has said so.
	Closed, Overdue, Stuck, Kept, ByHand bool
}

// Tried is a run that a node was put into. A run that leaves the node as it was, for example because the node was busy again, is not
// repeated at once.
type Tried struct {
	Run   string
	At    time.Time
	Cause validity.Cause
	// Change that had cost the node its pass, on that boot; empty: none.
	Change v1alpha1.Change
	Boot   string
	// Fabric by which the node reached others when the run was created.
	Fabric string
	// Times that a run was created for the same cause, or for the same change, though each run passed.
	Times int
	// Exists: the run was seen. One that never was did not come into being.
	Exists bool
}

// Plan is what is to be done, in this order, and what to say.
type Plan struct {
	// ValidateNow is a new request by the annotation. It is written to the status before anything else is done.
	ValidateNow *v1alpha1.ValidateNow
	// Look at the pods of these nodes, then call Next again: what is to be done depends on whether they are busy. At most MaxLooks.
	Look []string
	// Create these runs.
	Create []Run
	// Open the gates of these nodes, after they were read and judged once more by MayOpen.
	Open []Opening
	// ByHand: somebody else opened the gates of these nodes, which is to be recorded by the annotation assay.dev/gate.
	ByHand []ByHand
	// Overdue: nodes whose label assay.dev/overdue is to be set, or, where false, removed. Only what differs.
	Overdue map[string]bool
	// Delete these finished runs of the policy: more than its history limits keep.
	Delete []*v1alpha1.ValidationRun
	// Events to say once.
	Events []Event
	// Seen is to be given to the next pass, by node UID.
	Seen map[types.UID]Seen
	// Status to be patched where it differs; times in it change only when something happened.
	Status v1alpha1.ValidationPolicyStatus
	// NextExpiry is when the next valid pass ceases to be one by age; zero: none does.
	NextExpiry time.Time
	// Again is when to look again if nothing happens until then; zero: never.
	Again time.Time
}

// Run to be created. Its name follows from the policy and its newest run, so that a pass that is repeated after a crash creates nothing twice.
type Run struct {
	Name, Reason string
	Spec         v1alpha1.ValidationRunSpec
	// Message of the event RunCreated.
	Message string
}

// Opening of a gate.
type Opening struct {
	Node  string
	UID   types.UID
	Taint corev1.Taint
	// Record is the value of the annotation assay.dev/gate.
	Record v1alpha1.GateRecord
	// Message of the event GateOpened.
	Message string
	// Waited: how long the node was gated.
	Waited time.Duration
}

// ByHand is a gate that somebody else opened.
type ByHand struct {
	Node   *corev1.Node
	Record v1alpha1.GateRecord
}

// Event about a node.
type Event struct {
	Node          *corev1.Node
	Type          string
	Reason, Notes string
}

// Next decides what is to be done about a policy now. Each stage takes what the one before it made, and makes its own.
func Next(s Snapshot, now time.Time) Plan {
	s.Memory = cmp.Or(s.Memory, &Memory{})
	u := understand(s, now)
	if !s.Policy.DeletionTimestamp.IsZero() { // its labels go, and its gates stay closed
		return Plan{Overdue: u.unmarked(nil), Status: u.status(), Seen: map[types.UID]Seen{}}
	}
	plan := u.stand()
	if u.invalid == "" {
		plan = u.act()
	}
	if u.isNew {
		plan.ValidateNow = u.request
	}
	plan.Delete = u.outlived()
	if plan.Again = u.next; !plan.Again.IsZero() {
		plan.Again = list.Latest(plan.Again, u.read.Add(time.Second)) // never at once
	}
	return plan
}

// act for a policy that can be enforced.
func (u *understood) act() Plan {
	surveyed := u.survey()
	served := u.serve(surveyed.nodes)
	guarded := u.guard(served.nodes)
	overdue, events := u.mark(guarded.nodes)
	seen := map[types.UID]Seen{}
	for i := range guarded.nodes {
		if n := &guarded.nodes[i]; n.seen != (Seen{}) {
			seen[n.Object.UID] = n.seen
		}
	}
	return Plan{Look: firstOf(served.looks, MaxLooks), Create: served.create, Open: guarded.open, ByHand: guarded.byHand, Overdue: overdue,
		Events: append(guarded.events, events...), Seen: seen, NextExpiry: surveyed.expiry, Status: u.report(surveyed, guarded, served.budget)}
}

// stand still for a policy that cannot be enforced: nothing is measured, and no gate opens. What was known stays.
func (u *understood) stand() Plan {
	plan := Plan{Overdue: map[string]bool{}, Seen: map[types.UID]Seen{}, Status: u.reportInvalid()}
	for i := range u.Nodes {
		if n := &u.Nodes[i]; n.Seen != (Seen{}) {
			plan.Seen[n.Object.UID] = n.Seen
		}
	}
	return plan
}

// status of the policy so far, to be changed.
func (u *understood) status() v1alpha1.ValidationPolicyStatus {
	status := u.Policy.Status.DeepCopy()
	status.ValidateNow = u.request.DeepCopy()
	return *status
}
