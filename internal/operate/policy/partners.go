package policy

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
)

// partners for benchmarks that measure several nodes at once, where the nodes of a run are too few: valid ones that are idle, those whose
// passes are oldest first, then those that are due themselves, for another reason. alone are nodes for which there is no group of some benchmark.
func (s *serving) partners(nodes []*node) (found, alone []*node) {
	var pool []*node // pool is made only where it is needed
	for i := range s.Benchmarks {
		g := s.Benchmarks[i].Object.Spec.Group
		if s.Benchmarks[i].Object.Spec.Scope != v1alpha1.ScopeGroup || g == nil {
			continue
		}
		of := s.placeOf(s.Benchmarks[i].Object)
		for _, place := range places(nodes, of) {
			have, want := inPlace(slices.Concat(nodes, found), of, place), wanted(s.Benchmarks[i].Object)
			if len(have) >= want {
				continue
			}
			if pool == nil {
				pool = s.pool(nodes)
			}
			for _, n := range inPlace(pool, of, place) {
				if len(have) >= want {
					break
				}
				if slices.Contains(have, n) || !apart(have, n, g) {
					continue
				}
				have, found = append(have, n), append(found, n)
			}
			if len(have) < groupSize(g) {
				alone = append(alone, inPlace(nodes, of, place)...)
			}
		}
	}
	return found, alone
}

// placeOf a node is what the nodes of one group share: the label that they have to be alike in, the class of their devices and, of pairs, which are drawn
// among nodes of one fabric, that. Empty: the node is in no group.
func (u *understood) placeOf(b *v1alpha1.Benchmark) func(*node) string {
	g, kinds := b.Spec.Group, map[*node]string{}
	return func(n *node) string {
		label := n.Object.Labels[g.Within]
		if g.Within != "" && label == "" {
			return ""
		}
		if _, known := kinds[n]; !known {
			kinds[n] = workload.ClassOf(b, n.Object) + "\x00"
			if isOfPairs(g) {
				kinds[n] += u.terms.Machine(n.Object, b).Fabric
			}
		}
		return label + "\x00" + kinds[n]
	}
}

// places of the nodes that are to be measured.
func places(nodes []*node, of func(*node) string) []string {
	all := slices.Compact(slices.Sorted(slices.Values(list.Map(nodes, of))))
	return slices.DeleteFunc(all, func(place string) bool { return place == "" })
}

func inPlace(nodes []*node, of func(*node) string, place string) []*node {
	return list.Where(nodes, func(n *node) bool { return of(n) == place })
}

// apart: the node may be in one pair with the others. Those of larger groups differ in the label only as far as can be.
func apart(others []*node, n *node, g *v1alpha1.Group) bool {
	if g.Across == "" || groupSize(g) != 2 {
		return true
	}
	return !slices.ContainsFunc(others, func(o *node) bool { return o.Object.Labels[g.Across] == n.Object.Labels[g.Across] })
}

// enoughToCompare is how many nodes a tournament takes to tell a slow node from a slow link.
const enoughToCompare = 4

// wanted nodes for a benchmark: as many as are compared with each other where that is what judges pairs. With fewer they are measured, too, but
// without a bound nothing judges them.
func wanted(b *v1alpha1.Benchmark) int {
	g := b.Spec.Group
	compared := slices.ContainsFunc(b.Spec.Metrics, func(m v1alpha1.Metric) bool { return m.Expectation != nil && m.Expectation.MaxFleetDeviation != "" })
	if compared && isOfPairs(g) {
		return enoughToCompare
	}
	return groupSize(g)
}

func isOfPairs(g *v1alpha1.Group) bool { return g.Size.Type == intstr.Int && g.Size.IntVal == 2 }

func groupSize(g *v1alpha1.Group) int {
	if g.Size.Type == intstr.Int {
		return int(g.Size.IntVal)
	}
	return 2
}

// pool of nodes that others may be measured with, the oldest pass first. Nodes that may be measured now come last: of two that are due for different reasons,
// each would wait for ever for the other one to be valid.
func (s *serving) pool(others []*node) []*node {
	var pool []*node
	gated := slices.ContainsFunc(others, func(n *node) bool { return n.gated })
	for n := range list.Each(s.nodes) {
		isDue := n.State != validity.Valid && !n.seen.ReadySince.IsZero() && (gated || !n.gated)
		if !isDue && (n.State != validity.Valid || n.gated) || n.run != "" || n.Look.Busy != "" || slices.Contains(others, n) {
			continue
		}
		if l := s.lackOf(n.Node); !l.Any() {
			pool = append(pool, n)
		}
	}
	slices.SortFunc(pool, func(a, b *node) int {
		return cmp.Or(list.Before(a.State == validity.Valid, b.State == validity.Valid), a.Oldest.Compare(b.Oldest), cmp.Compare(a.Object.Name, b.Object.Name))
	})
	return pool
}

// mostPartners that are looked at anew in one pass.
const mostPartners = 8

// busyPartners are nodes that might be measured with others, were in use when they were looked at, and are due for another look.
func (s *serving) busyPartners() []*node {
	all := list.Those(s.nodes, func(n *node) bool {
		return n.State == validity.Valid && !n.gated && n.run == "" && n.Look.Busy != "" && !s.looked(n)
	})
	slices.SortFunc(all, func(a, b *node) int {
		return cmp.Or(a.Look.At.Compare(b.Look.At), cmp.Compare(a.Object.Name, b.Object.Name))
	})
	return all[:min(len(all), mostPartners)]
}

// looked: the last look at the node still holds.
func (u *understood) looked(n *node) bool {
	age := u.read.Sub(n.Look.At)
	return !n.Look.At.IsZero() && age >= 0 && age < lookHolds
}
