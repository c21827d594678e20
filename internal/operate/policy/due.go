package policy

import (
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// order in which nodes are served, beside that gated ones come first.
var order = [...]string{v1alpha1.ReasonRequested, v1alpha1.ReasonRetry, v1alpha1.ReasonChanged, v1alpha1.ReasonNeverValidated,
	v1alpha1.ReasonExpired, v1alpha1.ReasonRenewal}

// patienceEnds makes a node that is due unmeasurable once it lacks something for too long. One that lost devices is measured all the same, for a
// run to say so.
func (p *pass) patienceEnds(n *node) {
	if !n.lack.any() || n.state == valid {
		n.seen.LacksSince = time.Time{}
		return
	}
	if n.seen.LacksSince.IsZero() {
		n.seen.LacksSince = p.now
		if !n.lack.since.IsZero() {
			n.seen.LacksSince = p.clamp(n.lack.since)
		}
	}
	ends := n.seen.LacksSince.Add(patience)
	if n.gated {
		ends = n.seen.ClosedSince.Add(p.gate.timeout)
	}
	switch over := !p.now.Before(ends); {
	case over && n.lack.lost(n.Object):
		n.lack = lack{}
	case over && n.state == due:
		n.state = notMeasured
	}
	p.wake(ends)
}

// want says which run a node is to be put into, and from when.
func (p *pass) want(n *node) {
	if n.run != "" {
		return
	}
	switch n.standing {
	case passed, exempt:
		p.wantRenewal(n)
	case failed, unmeasured:
		p.wantRetry(n)
	case requested:
		n.wants, n.when = v1alpha1.ReasonRequested, n.since
	case changed:
		n.wants, n.when = v1alpha1.ReasonChanged, n.since
	case never:
		n.wants, n.when = v1alpha1.ReasonNeverValidated, n.since
	case expired:
		n.wants, n.when = v1alpha1.ReasonExpired, n.since
	}
	if n.wants != "" {
		p.afterVain(n)
	}
	if !n.lack.any() {
		p.wake(n.when)
	}
}

// afterVain has a node wait that the last run left as it was.
func (p *pass) afterVain(n *node) {
	if p.First && n.seen.Tried.Run == "" && !n.when.After(p.now) {
		n.seen.Tried = p.triedBefore(n)
	}
	if t := n.seen.Tried; t.Times > 0 && n.triedInVain() {
		n.when = latest(n.when, p.triedUntil(t).Add(p.fruitless(t.Times)))
	}
}

// wantRenewal of a node that holds a pass. One that only a conviction by another benchmark keeps from being valid waits like the others:
// a run of this policy does not refute it.
func (p *pass) wantRenewal(n *node) {
	at := p.terms.renews(n.Object.UID, n.oldest)
	if at.IsZero() {
		return
	}
	n.wants, n.when = v1alpha1.ReasonRenewal, at
	if !n.tried {
		return
	}
	n.tries = p.terms.triesOf(n.Node, &n.seen, time.Time{})
	if len(n.tries.runs) == 0 {
		return
	}
	if at = retryAt(p.spec.Retry, n.tries); at.IsZero() {
		at = p.terms.expires(n.oldest)
	}
	n.when = latest(n.when, at)
}

func (p *pass) wantRetry(n *node) {
	is := p.terms.machines.of(n.Object, n.benchmark.Object)
	n.tries = p.terms.triesOf(n.Node, &n.seen, p.youngUntil(n))
	switch {
	case !p.terms.counts(n.at):
		n.wants, n.when = v1alpha1.ReasonRequested, p.terms.requested
	case n.tries.none() || fresh(n.Validation, is):
		n.wants, n.when = v1alpha1.ReasonChanged, n.since
	case p.triedTooEarly(n):
		n.wants, n.when = v1alpha1.ReasonRetry, p.soon(n)
	default:
		if at := retryAt(p.spec.Retry, n.tries); !at.IsZero() {
			n.wants, n.when = v1alpha1.ReasonRetry, at
		}
	}
}

// triedTooEarly: it only takes time until the node can be measured, as far as is known.
func (p *pass) triedTooEarly(n *node) bool {
	return n.standing == unmeasured && n.tries.lastEarly && retryLimit(p.spec.Retry) > 0
}

// triedInVain: the last run left the node as it was, or the node has passed since and yet is due for the same change, without a reboot: what
// it is measured as is not what it is, whatever the reason.
func (n *node) triedInVain() bool {
	t := &n.seen.Tried
	if t.Cause == uint64(n.cause) {
		return true
	}
	return n.standing == changed && n.change == t.Change && n.Object.Status.NodeInfo.BootID == t.Boot && !n.at.Before(t.At.Truncate(time.Second))
}

// triedBefore is what a process that has just begun can tell of the last runs over a node by the runs themselves: they were for the same reason, and
// are newer than anything that is known of the node.
func (p *pass) triedBefore(n *node) Tried {
	var t Tried
	_, up := readiness(n.Object)
	known := n.at
	if n.holds() {
		known = n.oldest
	}
	for _, run := range p.runs.past(n.Object.Name) {
		made := run.CreationTimestamp.Time
		switch {
		case !made.After(known) || made.Before(n.Object.CreationTimestamp.Time) || made.Before(p.terms.requested) || p.triedUntil(Tried{Run: run.Name}).Before(up):
			return t
		case run.Labels[v1alpha1.LabelPolicyReason] != n.wants:
			continue
		case t.Run == "":
			t = Tried{Run: run.Name, At: made, Cause: uint64(n.cause), Change: n.change, Boot: n.Object.Status.NodeInfo.BootID, Fabric: p.terms.fabricOf(n.Node), Exists: true}
		}
		t.Times++
	}
	return t
}

// triedUntil is when the last run over a node was over, or, where that is not known any more, when it was created.
func (p *pass) triedUntil(t Tried) time.Time {
	if run := p.runs.named(t.Run); run != nil && run.Status.CompletionTime != nil {
		return p.clamp(run.Status.CompletionTime.Time)
	}
	return p.clamp(t.At)
}

// fruitless is how long a node waits that runs have left as it was, because it was busy again, say: a minute at first, at most as long as
// the last retry of a failed one.
func (p *pass) fruitless(times int) time.Duration {
	longest := seconds(p.spec.Retry.AfterSeconds) << max(0, retryLimit(p.spec.Retry)-1)
	return min(time.Minute<<min(times-1, 20), max(time.Minute, longest))
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// becomeReady starts the clock of the batch that a node is served in.
func (p *pass) becomeReady(n *node) {
	switch {
	case n.wants == "" || n.when.After(p.now) || n.lack.any():
		n.seen.ReadySince = time.Time{}
	case n.seen.ReadySince.IsZero() || n.seen.ReadySince.After(p.now):
		n.seen.ReadySince = p.now
	}
}
