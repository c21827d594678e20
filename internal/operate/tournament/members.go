package tournament

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/verdict"
)

// members are the nodes that a group benchmark is about: those that can be measured now, and those that it was begun with. That
// one of these is cordoned, deleted or busy by now changes neither who meets whom nor what was measured; it is away, and
// nothing more is started with it. The others get their decision here. What befalls a node while the run is suspended is looked at when
// it goes on. A node that sat out and has its verdict does not join any more: nothing could change that verdict.
func (f *field) members() (members []*Node) {
	for _, n := range f.Nodes {
		if n.Stored != nil && !f.begun[n.Name] {
			f.Shown[n.Name] = Shown{Decision: Told(n.Stored)}
			continue
		}
		if why := f.sitsOut(n); why != nil {
			f.Shown[n.Name] = Shown{Decision: *why}
			continue
		}
		if n.Gone != nil && !f.Run.Spec.Suspend {
			d := *n.Gone
			if d.Reason == v1alpha1.ReasonNodeNotReady {
				d.Verdict = v1alpha1.VerdictError // it was lost while it was measured: that is no reason to pass without it
			}
			f.away[n.Name] = &d
		}
		members = append(members, n)
	}
	return members
}

// sitsOut says why a node takes no part; nil: it does.
func (f *field) sitsOut(n *Node) *verdict.Decision {
	switch {
	case n.Gone != nil && !f.Run.Spec.Suspend && !f.begun[n.Name]:
		return n.Gone
	case n.Out != nil:
		return n.Out
	case f.Missing && len(f.begun) == 0:
		return new(f.notMeasured(""))
	}
	return nil
}

// settle members of which some may have left in the middle of a benchmark: of these, the reason of that is shown, but for what was proved of them
// before. What is whole is good for a node that is only cordoned or busy since.
func (f *field) settle(members []*Node, whole bool) {
	for _, n := range members {
		away, s := f.away[n.Name], f.Shown[n.Name]
		switch {
		case away == nil:
		case n.Recreated:
			s.Decision, s.Attempts = *away, nil // it was another machine
		case s.Verdict == v1alpha1.VerdictFail:
		case whole && away.Verdict == v1alpha1.VerdictSkipped && len(s.Attempts) > 0:
		default:
			s.Decision = *away
		}
		f.Shown[n.Name] = s
	}
}

// missingMember is a member that the group cannot be measured without, nil for none.
func (f *field) missingMember(g *Group) *Node {
	for _, ref := range g.Nodes {
		if f.away[ref.Name] != nil && !g.Running {
			return f.nodes[ref.Name]
		}
	}
	return nil
}
