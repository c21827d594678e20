package policy

import (
	"cmp"
	"slices"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

const (
	// lookHolds is how long a node that was seen idle is taken for idle, and how often a busy one is looked at.
	lookHolds = time.Minute
	// looksEvery is when the rest is looked at, where one pass is not enough. 50 looks in 10 s are 5 a second.
	looksEvery = 10 * time.Second
	// largestLook is the largest batch of which each node is looked at first: what 5 looks a second see within lookHolds. The nodes of larger
	// ones are put into runs unseen, which leave out those that are busy.
	largestLook = 300
	// renewalLook is how often a busy node is looked at whose pass is still valid.
	renewalLook = 10 * time.Minute
)

// firstOf the nodes to look at, each once, also where it is a partner of others besides: gated ones, then those whose last look is oldest, whichever
// batch they are in. The busy ones of one batch would else use up what an idle node of a later one waits for.
func firstOf(looks []*node, most int) (first []string) {
	slices.SortStableFunc(looks, func(a, b *node) int {
		return cmp.Or(list.Before(a.gated, b.gated), cmp.Compare(a.Look.At.Unix(), b.Look.At.Unix()))
	})
	for _, n := range looks {
		if len(first) < most && !slices.Contains(first, n.Object.Name) {
			first = append(first, n.Object.Name)
		}
	}
	return first
}

// idle nodes of a batch, and those to look at. hold: looks that were not made yet may add to them at once.
func (s *serving) idle(b *batch) (idle []*node, hold bool) {
	var look []*node
	large, unseen, waited := len(b.nodes) > largestLook, false, false
	for _, n := range b.nodes {
		switch age := s.read.Sub(n.Look.At); {
		case s.looked(n) && n.Look.Busy == "":
			idle = append(idle, n)
			waited = waited || age >= lookHolds/2
		case n.Look.Busy != "" && age >= 0 && age < s.lookEvery(b.reason):
			s.wake(n.Look.At.Add(s.lookEvery(b.reason)))
		case large && n.Look.Busy == "" && n.seen.Tried.Cause != uint64(n.Cause):
			idle = append(idle, n)
		default:
			look = append(look, n)
			unseen = unseen || n.Look.Busy == ""
		}
	}
	s.looks = append(s.looks, look...)
	return idle, unseen && !waited
}

// knownBusy: it was busy when it was last looked at, since it became ready to be measured.
func (n *node) knownBusy() bool { return n.Look.Busy != "" && !n.Look.At.Before(n.seen.ReadySince) }

// lookAtBusy nodes of a batch that waits for others: one that has become idle makes it ripe.
func (s *serving) lookAtBusy(b *batch) {
	s.idle(&batch{reason: b.reason, nodes: list.Where(b.nodes, (*node).knownBusy)})
}

// lookEvery is how often a busy node is looked at.
func (u *understood) lookEvery(reason string) time.Duration {
	if reason != v1alpha1.ReasonRenewal {
		return lookHolds
	}
	return max(lookHolds, min(renewalLook, u.terms.Slack()))
}
