package tournament

import (
	"slices"

	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// kind of a node: only those of one kind are paired.
type kind struct{ fabric, class string }

// byKind divides the nodes of a benchmark of pairs by the fabric of each, and by the class of its devices. A pair whose nodes differ goes over the pod
// network: beside pairs that go over a fast fabric, that would make the slow node of whoever has another one. A node that is gone stays with those that it
// was measured with.
func (f *field) byKind(members []*Node) [][]*Node {
	return list.Groups(members, func(n *Node) kind {
		if n.Object == nil {
			return f.kindOfPartner(n)
		}
		return n.kind()
	})
}

func (n *Node) kind() kind { return kind{n.Fabric, n.Class} }

// haveLostFabric: nodes of one kind reach others over the pod network alone, and one of them was measured over a fabric.
func (f *field) haveLostFabric(alike []*Node) bool {
	if slices.ContainsFunc(alike, func(n *Node) bool { return n.Fabric != "" }) {
		return false
	}
	return slices.ContainsFunc(f.Groups, func(g *Group) bool {
		a := attempt.LastMeasured(g.Attempts)
		return a != nil && a.Configuration != workload.WithoutFabric(a.Configuration) &&
			slices.ContainsFunc(alike, func(n *Node) bool { return slices.Contains(g.Names(), n.Name) })
	})
}

func (f *field) kindOfPartner(n *Node) kind {
	for _, g := range f.Groups {
		if len(g.Nodes) != 2 || len(g.Attempts) == 0 || !slices.Contains(g.Names(), n.Name) {
			continue
		}
		for _, name := range g.Names() {
			if o := f.nodes[name]; o != nil && o.Object != nil {
				return o.kind()
			}
		}
	}
	return kind{}
}

// concludeStrays ends pairs of nodes that were of one kind while they were measured, and are of two now.
func (f *field) concludeStrays(all [][]*Node) {
	of := map[string]int{}
	for k, alike := range all {
		for _, n := range alike {
			of[n.Name] = k
		}
	}
	for _, g := range f.Groups {
		if len(g.Nodes) == 2 && len(g.Attempts) > 0 && of[g.Nodes[0].Name] != of[g.Nodes[1].Name] {
			f.conclude(g, asMeasuredLast(g))
		}
	}
}

// asMeasuredLast is what is said of a pair by itself: how its last attempt went.
func asMeasuredLast(g *Group) verdict.Decision {
	last := g.Attempts[len(g.Attempts)-1]
	return verdict.Decision{Verdict: last.Verdict, Reason: last.Reason, Message: last.Message}
}
