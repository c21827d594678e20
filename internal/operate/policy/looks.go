package policy

import (
	"cmp"
	"slices"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
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

// looks that are asked for.
type looks struct{ nodes []*node }

// first of the nodes to look at, each once, also where it is a partner of others besides: gated ones, then those whose last look is oldest, whichever batch they are in. The busy ones of one batch
// would else use up what an idle node of a later one waits for.
func (l *looks) first(n int) []string {
	slices.SortStableFunc(l.nodes, func(a, b *node) int {
		if a.gated && !b.gated {
			return -1
		}
		if b.gated && !a.gated {
			return 1
		}
		return cmp.Compare(a.Look.At.Unix(), b.Look.At.Unix())
	})
	var names []string
	for _, one := range l.nodes {
		if len(names) < n && !slices.Contains(names, one.Object.Name) {
			names = append(names, one.Object.Name)
		}
	}
	return names
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
	s.looks.nodes = append(s.looks.nodes, look...)
	return idle, unseen && !waited
}

// knownBusy: it was busy when it was last looked at, since it became ready to be measured.
func (n *node) knownBusy() bool { return n.Look.Busy != "" && !n.Look.At.Before(n.seen.ReadySince) }

// lookAtBusy nodes of a batch that waits for others: one that has become idle makes it ripe.
func (s *serving) lookAtBusy(b *batch) {
	busy := &batch{reason: b.reason}
	for _, n := range b.nodes {
		if n.knownBusy() {
			busy.nodes = append(busy.nodes, n)
		}
	}
	s.idle(busy)
}

// lookEvery is how often a busy node is looked at.
func (u *understood) lookEvery(reason string) time.Duration {
	if reason != v1alpha1.ReasonRenewal {
		return lookHolds
	}
	return max(lookHolds, min(renewalLook, u.terms.Slack()))
}
