package policy

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/utils/ptr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
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

// serving is the way of one pass through the batches, on nodes of its own, of which some are put into runs.
type serving struct {
	*understood
	nodes []node
	// looks that are asked for.
	looks  []*node
	create []Run
	budget budget
}

// serve the nodes that want a run, in order of priority, as far as runs may be active at once.
func (u *understood) serve(nodes []node) *serving {
	s := &serving{understood: u, nodes: nodes, budget: u.newBudget()}
	if u.spec.Suspend || u.NoRuns {
		return s
	}
	if slices.ContainsFunc(nodes, func(n node) bool { return !n.seen.ReadySince.IsZero() }) {
		s.nodes = slices.Clone(nodes)
	}
	active := u.runs.active
	for _, b := range s.gather() {
		limit := maxActive
		if b.gated {
			limit += moreForGated
		}
		active += s.serve(b, limit-active)
	}
	if len(s.looks) > 0 {
		s.wake(u.now.Add(looksEvery))
	}
	return s
}

// gather the nodes that may be measured now, in batches by priority.
func (s *serving) gather() []*batch {
	all := make([]*batch, 2*len(order))
	open, next := s.window.open(s.now)
	for n := range list.Each(s.nodes) {
		if n.seen.ReadySince.IsZero() {
			continue
		}
		if !open && !n.gated && n.wants != v1alpha1.ReasonRequested {
			s.wake(next)
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
		if !n.knownBusy() {
			list.Sooner(&b.since, n.seen.ReadySince)
		}
	}
	if open {
		s.wake(next)
	}
	return slices.DeleteFunc(all, func(b *batch) bool { return b == nil })
}

// wait is how long nodes wait for others to share a run with.
func (u *understood) wait(b *batch) time.Duration {
	wait := seconds(ptr.Deref(u.spec.BatchSeconds, defaultBatch))
	if b.reason == v1alpha1.ReasonRenewal {
		wait = max(wait, u.terms.Slack())
	}
	return wait
}

// defaultBatch is spec.batchSeconds where the API server did not fill it in.
const defaultBatch = int32(30)

// serve a batch with at most so many runs, and say how many it got.
func (s *serving) serve(b *batch, room int) int {
	if ripe := b.since.Add(s.wait(b)); s.now.Before(ripe) && len(b.nodes) < len(s.nodes) {
		s.wake(ripe)
		s.lookAtBusy(b)
		return 0
	}
	if room <= 0 {
		return 0
	}
	b.nodes = slices.DeleteFunc(b.nodes, func(n *node) bool { return n.run != "" }) // a batch before this one took them as partners
	slices.SortFunc(b.nodes, func(a, b *node) int {
		return cmp.Or(a.when.Compare(b.when), cmp.Compare(a.Object.Name, b.Object.Name))
	})
	b.nodes = s.afford(b)
	idle, hold := s.idle(b)
	if hold {
		return 0
	}
	created := 0
	for chunk := range slices.Chunk(idle, maxNodes) {
		if created == room {
			break
		}
		left := list.Where(chunk, func(n *node) bool { return n.run == "" }) // by the chunks before this one, which took others as partners
		chunk, partners, alone := s.withPartners(b, left)
		if chunk = slices.DeleteFunc(chunk, func(n *node) bool { return n.InGroups && slices.Contains(alone, n) }); len(alone) > 0 {
			s.looks = append(s.looks, s.busyPartners()...) // there is nothing to measure on some but what takes more nodes
			s.wake(s.now.Add(lookHolds))
		}
		if len(chunk) == 0 {
			continue
		}
		if unseen := list.Where(partners, func(n *node) bool { return !s.looked(n) }); len(unseen) > 0 && s.now.Before(b.since.Add(s.wait(b)+lookHolds)) {
			s.looks = append(s.looks, unseen...)
			continue
		}
		s.put(b.reason, chunk, partners)
		created++
	}
	return created
}

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
		case large && n.Look.Busy == "" && n.seen.Tried.Cause != n.Cause:
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
