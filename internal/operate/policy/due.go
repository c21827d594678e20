package policy

import (
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/policy/needs"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
)

// order in which nodes are served, beside that gated ones come first.
var order = [...]string{v1alpha1.ReasonRequested, v1alpha1.ReasonRetry, v1alpha1.ReasonChanged, v1alpha1.ReasonNeverValidated,
	v1alpha1.ReasonExpired, v1alpha1.ReasonRenewal}

// patienceEnds makes a node that is due unmeasurable once it lacks something for too long. One that lost devices is measured all the same, for a
// run to say so.
func (s *surveyed) patienceEnds(n *node) {
	if !n.lack.Any() || n.State == validity.Valid {
		n.seen.LacksSince = time.Time{}
		return
	}
	if n.seen.LacksSince.IsZero() {
		n.seen.LacksSince = s.now
		if !n.lack.Since.IsZero() {
			n.seen.LacksSince = s.clamp(n.lack.Since)
		}
	}
	ends := n.seen.LacksSince.Add(patience)
	if n.gated {
		ends = n.seen.ClosedSince.Add(s.gate.timeout)
	}
	switch over := !s.now.Before(ends); {
	case over && n.lack.Lost(n.Object):
		n.lack = needs.Lack{}
	case over && n.State == validity.Due:
		n.State = validity.NotMeasured
	}
	s.wake(ends)
}

// want says which run a node is to be put into, and from when.
func (s *surveyed) want(n *node) {
	if n.run != "" {
		return
	}
	switch n.Standing {
	case validity.Passed, validity.Exempt:
		s.wantRenewal(n)
	case validity.Failed, validity.Unmeasured:
		s.wantRetry(n)
	default:
		n.wants, n.when = dueReasons[n.Standing], n.since
	}
	if n.wants != "" {
		s.afterVain(n)
	}
	if !n.lack.Any() {
		s.wake(n.when)
	}
}

// afterVain has a node wait that the last run left as it was.
func (s *surveyed) afterVain(n *node) {
	if s.First && n.seen.Tried.Run == "" && !n.when.After(s.now) {
		n.seen.Tried = s.triedBefore(n)
	}
	if t := n.seen.Tried; t.Times > 0 && n.triedInVain() {
		n.when = list.Latest(n.when, s.triedUntil(t).Add(s.fruitless(t.Times)))
	}
}

// wantRenewal of a node that holds a pass. One that only a conviction by another benchmark keeps from being valid waits like the others:
// a run of this policy does not refute it.
func (s *surveyed) wantRenewal(n *node) {
	at := s.terms.Renews(n.Object.UID, n.Oldest)
	if at.IsZero() {
		return
	}
	n.wants, n.when = v1alpha1.ReasonRenewal, at
	if !n.Tried {
		return
	}
	n.tries = s.terms.TriesOf(n.subject(), s.overSameFabric(n), time.Time{})
	if len(n.tries.Runs) == 0 {
		return
	}
	if at = retryAt(s.spec.Retry, n.tries); at.IsZero() {
		at = s.terms.Expires(n.Oldest)
	}
	n.when = list.Latest(n.when, at)
}

// becomeReady starts the clock of the batch that a node is served in.
func (s *surveyed) becomeReady(n *node) {
	switch {
	case n.wants == "" || n.when.After(s.now) || n.lack.Any():
		n.seen.ReadySince = time.Time{}
	case n.seen.ReadySince.IsZero() || n.seen.ReadySince.After(s.now):
		n.seen.ReadySince = s.now
	}
}

// patience with a node that lacks what a measurement takes: plugins start, nodes boot. A gated node has until its gate's timeout.
const patience = 5 * time.Minute

// youngUntil is when the time of a gated node's gate is over: what could not be measured before that was too young. Zero: the node was not gated.
// After a restart, one that is gated for the second time counts as gated anew; the status may tell since when it is to be measured.
func (s *surveyed) youngUntil(n *node) time.Time {
	if n.gated {
		return list.Earliest(n.seen.ClosedSince, n.since).Add(s.gate.timeout)
	}
	if record, ok := v1alpha1.GateRecordOf(n.Object.Annotations); ok && record.Policy == s.Policy.Name { // somebody opened the gate meanwhile
		return record.OpenedAt.Time
	}
	return time.Time{}
}

// soon is when a node is tried again on which nothing could run because it was too young: a minute after the last run, twice as long after the next
// one, and so on, at most as long as any other node waits.
func (s *surveyed) soon(n *node) time.Time {
	delay := min(time.Minute<<min(len(n.tries.Early)-1, 20), seconds(s.spec.Retry.AfterSeconds))
	last := n.tries.Last
	if t := n.seen.Tried; t.Run != "" {
		last = list.Latest(last, s.triedUntil(t))
	}
	return last.Add(delay)
}
