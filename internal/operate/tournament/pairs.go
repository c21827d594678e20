package tournament

import (
	"cmp"
	"slices"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/blame"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/list"
)

// tournament is a group benchmark of pairs in this pass: who takes part, and what was played.
type tournament struct {
	*field
	members []*evidence
	players []blame.Node
	byName  map[string]*evidence
	// pairs that were measured or tried, with all their attempts.
	pairs []*Group
	// lastEnd is when the last of their measurements ended; zero: none has.
	lastEnd time.Time
}

// fewNodes: with fewer, a slow node and a slow link look alike.
const fewNodes = 4

func (f *field) tournament(members []*Node) *tournament {
	spec := f.Benchmark.Spec.Group
	label := cmp.Or(spec.Within, spec.Across, spec.Topology)
	t := &tournament{field: f, byName: make(map[string]*evidence, len(members))}
	for _, n := range members {
		e := &evidence{Node: n, reached: map[string]blame.NodeEffect{}}
		t.members, t.byName[n.Name] = append(t.members, e), e
		t.players = append(t.players, blame.Node{Name: n.Name, Place: n.label(label)})
	}
	for _, g := range f.Groups {
		if len(g.Nodes) == 2 && len(g.Attempts) > 0 && t.has(g) {
			t.addPair(g)
		}
	}
	return t
}

func (t *tournament) addPair(g *Group) {
	t.pairs = append(t.pairs, g)
	for _, a := range g.Attempts {
		if a.EndTime != nil && a.EndTime.After(t.lastEnd) {
			t.lastEnd = a.EndTime.Time
		}
	}
	disturbed := slices.ContainsFunc(g.rounds(), func(round []v1alpha1.Attempt) bool {
		_, times := attempt.Apart(round)
		return len(times) >= attempt.MostDisturbed // as often as a pair is measured in a round
	})
	for _, n := range g.Nodes {
		e := t.byName[n.Name]
		e.pairs, e.disturbed = append(e.pairs, g), e.disturbed || disturbed
	}
}

// has both nodes of a pair.
func (t *tournament) has(g *Group) bool {
	return t.byName[g.Nodes[0].Name] != nil && t.byName[g.Nodes[1].Name] != nil
}

func (t *tournament) names() []string {
	return list.Map(t.members, func(e *evidence) string { return e.Name })
}

// judgePairs plays the tournaments of pairs on, one for each kind of node, or judges them once they are decided. A node that is alone waits for their end, and so
// do those that have lost their fabric: it may only be away for a moment.
func (f *field) judgePairs(members []*Node) {
	var alone []*Node
	open := false
	all := f.byKind(members)
	lost := list.Where(all, f.haveLostFabric)
	for i, alike := range append(slices.DeleteFunc(slices.Clone(all), f.haveLostFabric), lost...) {
		if len(alike) < 2 || open && i >= len(all)-len(lost) {
			alone = append(alone, alike...)
			continue
		}
		f.playPairs(alike)
		open = open || slices.ContainsFunc(alike, func(n *Node) bool { return f.Shown[n.Name].Verdict == v1alpha1.VerdictPending })
	}
	for _, n := range alone {
		d := verdict.Decision{Verdict: v1alpha1.VerdictSkipped, Reason: v1alpha1.ReasonNotGrouped, Message: noPartner(n, members)}
		if open {
			d = verdict.Decision{Verdict: v1alpha1.VerdictPending, Message: tournamentGoesOn}
		}
		f.Shown[n.Name] = Shown{Decision: d}
	}
	if len(all) > 1 && !open {
		f.concludeStrays(all)
		f.settle(alone, false)
	}
}

// playPairs plays one tournament on, or judges it once it is decided.
func (f *field) playPairs(members []*Node) {
	t := f.tournament(members)
	metrics := f.pairMetrics()
	open := slices.ContainsFunc(f.Nodes, func(n *Node) bool { return n.Stored == nil })
	open = open && t.advance(metrics)
	if !open || f.closed() {
		t.concludePairs(metrics)
		f.settle(members, false)
	}
	for _, n := range members {
		s := f.Shown[n.Name]
		switch {
		case !open:
			continue
		case !f.closed():
			s.Decision = verdict.Decision{Verdict: v1alpha1.VerdictPending, Message: tournamentGoesOn}
		case s.Verdict != v1alpha1.VerdictFail && f.away[n.Name] == nil: // what was proved stays proved
			s.Decision = f.notMeasured(n.Waited)
		}
		f.Shown[n.Name] = s
	}
}
