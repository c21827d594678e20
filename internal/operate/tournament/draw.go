package tournament

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/plan"
)

// drawSets forms the groups of a benchmark whose groups are not pairs. What was measured or is being measured stays a group,
// even where the nodes of the run have changed since and would be drawn otherwise now.
func (f *field) drawSets(members []*Node) (groups []*Group, left map[string]string) {
	spec := f.Benchmark.Spec.Group
	size := int(spec.Size.IntVal)
	draw := func(keep func(*Node) bool) (drawn [][]string, left map[string]string) {
		left = map[string]string{}
		classes := list.Groups(list.Where(members, keep), func(n *Node) string { return n.Class })
		for _, alike := range classes {
			in := list.Map(alike, func(n *Node) plan.Member {
				return plan.Member{Name: n.Name, Within: n.label(spec.Within), Across: n.label(spec.Across)}
			})
			groups, without := plan.Draw(in, size, spec.Within, spec.Across)
			drawn = append(drawn, groups...)
			for name, why := range without {
				if left[name] = why; len(classes) > 1 {
					left[name] += "; " + alikeIn(alike[0].Class)
				}
			}
		}
		return drawn, left
	}
	groups = f.begunSets()
	begun := map[string]bool{}
	for _, g := range groups {
		for _, name := range g.Names() {
			begun[name] = true
		}
	}
	drawn, left := draw(func(n *Node) bool { return f.away[n.Name] == nil || begun[n.Name] })
	unchanged := !slices.ContainsFunc(groups, func(g *Group) bool {
		return !slices.ContainsFunc(drawn, func(names []string) bool { return slices.Equal(names, g.Names()) })
	})
	if !unchanged {
		drawn, left = draw(func(n *Node) bool { return f.away[n.Name] == nil && !begun[n.Name] })
	}
	for _, names := range drawn {
		if !slices.ContainsFunc(groups, func(g *Group) bool { return slices.Equal(g.Names(), names) }) {
			groups = append(groups, f.groupOf(names))
		}
	}
	return groups, left
}

// begunSets are the groups that were measured or are being measured, but for the parts that narrow looks at.
func (f *field) begunSets() []*Group {
	begun := list.Where(f.Groups, func(g *Group) bool {
		return len(g.Nodes) > 0 && (slices.ContainsFunc(g.Attempts, attempt.Measured) || g.Running)
	})
	return slices.DeleteFunc(slices.Clone(begun), func(g *Group) bool {
		return slices.ContainsFunc(begun, func(o *Group) bool { return len(o.Nodes) > len(g.Nodes) && subset(g.Names(), o.Names()) })
	})
}

// subset: every name is among the others, both sorted.
func subset(names, others []string) bool {
	for _, name := range names {
		if _, found := slices.BinarySearch(others, name); !found {
			return false
		}
	}
	return true
}

// dependsOnSize: what a metric reaches depends on the number of nodes, as rates of arithmetic do, and all metrics that scale.
func (f *field) dependsOnSize(metric string) bool {
	return slices.ContainsFunc(f.Metrics, func(m v1alpha1.Metric) bool {
		return m.Name == metric && (m.Scaling != "" || strings.HasSuffix(m.Unit, "FLOP/s"))
	})
}

// compareSets with each other: where a metric that is compared depends on the number of nodes, those of the same size.
func (f *field) compareSets(groups []*Group) []set {
	bySize := slices.ContainsFunc(f.Metrics, func(m v1alpha1.Metric) bool {
		return m.Expectation != nil && m.Expectation.MaxFleetDeviation != "" && f.dependsOnSize(m.Name)
	})
	sizeOf := func(g *Group) int {
		if bySize {
			return len(g.Nodes)
		}
		return 0
	}
	fleets := map[int]*verdict.Judge{}
	for _, like := range list.Groups(groups, sizeOf) {
		fleets[sizeOf(like[0])] = f.fleetOf(like)
	}
	return list.Map(groups, func(g *Group) set { return set{Group: g, fleet: fleets[sizeOf(g)]} })
}

// fleetOf groups that are compared with each other.
func (f *field) fleetOf(groups []*Group) *verdict.Judge {
	var first []*fleet.Digest
	complete := true
	for _, g := range groups {
		if a := slices.IndexFunc(g.Attempts, attempt.Measured); a >= 0 {
			d := fleet.DigestAttempt(f.Metrics, &g.Attempts[a]).On("")
			d.Node = g.ID
			first = append(first, &d)
		} else if attempt.AwaitsMeasurement(g.Attempts) && !f.closed() {
			complete = false
		}
	}
	return verdict.NewJudge(f.Benchmark.Name, f.Metrics, first, nil, complete).OfGroups()
}
