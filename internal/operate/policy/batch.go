package policy

import (
	"cmp"
	"slices"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// batch is nodes that may share a run.
type batch struct {
	gated  bool
	reason string
	nodes  []*node
	// since when one of them waits that is not known to be busy; zero: none does. One that is busy for days would make the batch always ripe,
	// so that the others were measured one by one.
	since time.Time
}

// createRuns for the nodes that want one, in order of priority, as far as runs may be active at once.
func (p *pass) createRuns() {
	if p.spec.Suspend || p.NoRuns {
		return
	}
	looks := &looks{}
	active := p.runs.active
	for _, b := range p.gather() {
		limit := MaxActive
		if b.gated {
			limit += MoreForGated
		}
		active += p.serve(b, limit-active, looks)
	}
	p.plan.Look = looks.first(MaxLooks)
	if len(looks.nodes) > 0 {
		p.wake(p.now.Add(looksEvery))
	}
}

// gather the nodes that may be measured now, in batches by priority.
func (p *pass) gather() []*batch {
	all := make([]*batch, 2*len(order))
	open, next := p.window.open(p.now)
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.seen.ReadySince.IsZero() {
			continue
		}
		if !open && !n.gated && n.wants != v1alpha1.ReasonRequested {
			p.wake(next)
			continue
		}
		k := slices.Index(order[:], n.wants)
		if !n.gated {
			k += len(order)
		}
		if all[k] == nil {
			all[k] = &batch{gated: n.gated, reason: n.wants}
		}
		b := all[k]
		b.nodes = append(b.nodes, n)
		if at := n.seen.ReadySince; !n.knownBusy() && (b.since.IsZero() || at.Before(b.since)) {
			b.since = at
		}
	}
	if open {
		p.wake(next)
	}
	return slices.DeleteFunc(all, func(b *batch) bool { return b == nil })
}

// wait is how long nodes wait for others to share a run with.
func (p *pass) wait(b *batch) time.Duration {
	wait := seconds(batchSeconds(p.spec))
	if b.reason == v1alpha1.ReasonRenewal {
		wait = max(wait, p.terms.Slack())
	}
	return wait
}

// defaultBatch is spec.batchSeconds where the API server did not fill it in.
const defaultBatch = int32(30)

func batchSeconds(spec *v1alpha1.ValidationPolicySpec) int32 {
	if spec.BatchSeconds == nil {
		return defaultBatch
	}
	return *spec.BatchSeconds
}

// serve a batch with at most so many runs, and say how many it got.
func (p *pass) serve(b *batch, room int, looks *looks) int {
	if ripe := b.since.Add(p.wait(b)); p.now.Before(ripe) && len(b.nodes) < len(p.nodes) {
		p.wake(ripe)
		p.lookAtBusy(b, looks)
		return 0
	}
	if room <= 0 {
		return 0
	}
	b.nodes = slices.DeleteFunc(b.nodes, func(n *node) bool { return n.run != "" }) // a batch before this one took them as partners
	slices.SortFunc(b.nodes, func(a, b *node) int {
		return cmp.Or(a.when.Compare(b.when), cmp.Compare(a.Object.Name, b.Object.Name))
	})
	idle, hold := p.idle(b, looks)
	if hold {
		return 0
	}
	created := 0
	for chunk := range slices.Chunk(idle, MaxNodes) {
		if created == room {
			break
		}
		partners, alone := p.partners(chunk)
		if chunk = slices.DeleteFunc(slices.Clone(chunk), func(n *node) bool { return n.InGroups && slices.Contains(alone, n) }); len(alone) > 0 {
			looks.nodes = append(looks.nodes, p.busyPartners()...) // there is nothing to measure on some but what takes more nodes
			p.wake(p.now.Add(lookHolds))
		}
		if len(chunk) == 0 {
			continue
		}
		if unseen := p.unseen(partners); len(unseen) > 0 && p.now.Before(b.since.Add(p.wait(b)+lookHolds)) {
			looks.nodes = append(looks.nodes, unseen...)
			continue
		}
		p.create(b.reason, chunk, partners)
		created++
	}
	return created
}
