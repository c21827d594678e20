package policy

import (
	"cmp"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Next decides what is to be done about a policy now. Each stage takes what the one before it made, and makes its own.
func Next(s Snapshot, now time.Time) Plan {
	s.Memory = cmp.Or(s.Memory, &Memory{})
	u := understand(s, now)
	if !s.Policy.DeletionTimestamp.IsZero() { // its labels go, and its gates stay closed
		return Plan{Overdue: u.unmarked(nil), Status: u.status(), Seen: map[types.UID]Seen{}}
	}
	plan, next := u.stand()
	if u.invalid == "" {
		plan, next = u.act()
	}
	if u.isNew {
		plan.ValidateNow = u.request
	}
	outlived, ends := u.outlived()
	plan.Delete, plan.Again = outlived, u.again(append(next, ends)...)
	return plan
}

// act for a policy that can be enforced.
func (u *understood) act() (Plan, []alarm) {
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
		Events: append(guarded.events, events...), Seen: seen, NextExpiry: surveyed.expiry, Status: u.report(surveyed, guarded, served.budget)}, []alarm{surveyed.next, served.next, guarded.next}
}

// stand still for a policy that cannot be enforced: nothing is measured, and no gate opens. What was known stays.
func (u *understood) stand() (Plan, []alarm) {
	plan := Plan{Overdue: map[string]bool{}, Seen: map[types.UID]Seen{}, Status: u.reportInvalid()}
	for i := range u.Nodes {
		if n := &u.Nodes[i]; n.Seen != (Seen{}) {
			plan.Seen[n.Object.UID] = n.Seen
		}
	}
	return plan, nil
}

// status of the policy so far, to be changed.
func (u *understood) status() v1alpha1.ValidationPolicyStatus {
	status := u.Policy.Status.DeepCopy()
	status.ValidateNow = u.request.DeepCopy()
	return *status
}
