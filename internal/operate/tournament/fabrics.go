package tournament

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// fabricAt a node by itself; empty: it is gone, or the pod network is all.
func fabricAt(n *Node) string {
	if n.Object == nil {
		return ""
	}
	return workload.FabricName(workload.FabricOf([]*v1alpha1.Fabric{n.Peaks.Fabric}, []*corev1.Node{n.Object}))
}

// byFabric divides the nodes of a benchmark of pairs by the fabric of each. A pair whose nodes differ goes over the pod network: beside pairs that go over
// a fast fabric, that would make the slow node of whoever has another one. A node that is gone stays with those that it was measured with.
func (f *field) byFabric(members []*Node) [][]*Node {
	return list.Groups(members, func(n *Node) string {
		if n.Object == nil {
			return f.fabricOfPartner(n)
		}
		return fabricAt(n)
	})
}

func (f *field) fabricOfPartner(n *Node) string {
	for _, g := range f.Groups {
		if len(g.Nodes) != 2 || len(g.Attempts) == 0 || !slices.Contains(g.Names(), n.Name) {
			continue
		}
		for _, name := range g.Names() {
			if o := f.nodes[name]; o != nil && o.Object != nil {
				return fabricAt(o)
			}
		}
	}
	return ""
}

// concludeStrays ends pairs of nodes that had one fabric while they were measured, and have two now.
func (f *field) concludeStrays(all [][]*Node) (out Outcome) {
	of := map[string]int{}
	for k, alike := range all {
		for _, n := range alike {
			of[n.Name] = k
		}
	}
	for _, g := range f.Groups {
		if len(g.Nodes) == 2 && len(g.Attempts) > 0 && of[g.Nodes[0].Name] != of[g.Nodes[1].Name] {
			out = out.and(concluded(g, asMeasuredLast(g)))
		}
	}
	return out
}

// asMeasuredLast is what is said of a pair by itself: how its last attempt went.
func asMeasuredLast(g *Group) verdict.Decision {
	last := g.Attempts[len(g.Attempts)-1]
	return verdict.Decision{Verdict: last.Verdict, Reason: last.Reason, Message: last.Message}
}
