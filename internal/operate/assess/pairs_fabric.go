package assess

import (
	"slices"

	"github.com/assay-dev/assay/internal/judge/verdict"
)

// byFabric divides the nodes of a benchmark of pairs by the fabric of each. A pair whose nodes differ goes over the pod network: beside pairs that go over
// a fast fabric, that would make the slow node of whoever has another one. A node that is gone stays with those that it was measured with.
func (s *state) byFabric(i int, members []*Node) [][]*Node {
	var all [][]*Node
	at := map[string]int{}
	for _, n := range members {
		fabric := s.fabricAt(n, i)
		if n.node == nil {
			fabric = s.fabricOfPartner(n, i)
		}
		k, known := at[fabric]
		if !known {
			k, all = len(all), append(all, nil)
			at[fabric] = k
		}
		all[k] = append(all[k], n)
	}
	return all
}

func (s *state) fabricOfPartner(n *Node, i int) string {
	for _, g := range s.sortedGroups() {
		if g.task != i || len(g.nodes) != 2 || len(g.attempts()) == 0 || !slices.Contains(g.names(), n.name) {
			continue
		}
		for _, name := range g.names() {
			if o := s.node(name); o != nil && o.node != nil {
				return s.fabricAt(o, i)
			}
		}
	}
	return ""
}

// has both nodes of a pair.
func (t *tournament) has(g *Group) bool {
	return t.takesPart[g.nodes[0].Name] && t.takesPart[g.nodes[1].Name]
}

// storeStrays ends pairs of nodes that had one fabric while they were measured, and have two now.
func (s *state) storeStrays(i int, all [][]*Node) {
	of := map[string]int{}
	for k, alike := range all {
		for _, n := range alike {
			of[n.name] = k
		}
	}
	for _, g := range s.sortedGroups() {
		if g.task == i && len(g.nodes) == 2 && len(g.attempts()) > 0 && of[g.nodes[0].Name] != of[g.nodes[1].Name] {
			last := g.attempts()[len(g.attempts())-1]
			s.storeGroup(g, verdict.Decision{Verdict: last.Verdict, Reason: last.Reason, Message: last.Message})
		}
	}
}
