package taint

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/internal/measure/workload"
)

// Budget is how many more nodes the operator may call unfit at this moment. A share of all nodes of a cluster may be all of its GPU nodes. So
// it is a share of each pool that a node is one of: of all nodes, of those that offer the devices that the benchmark needs, and of those of
// the same instance type among them.
type Budget struct {
	policy Policy
	nodes  []*corev1.Node
	unfit  map[string]*corev1.Node
	// by which devices nodes were called unfit; they may have lost them since.
	by    map[string][]string
	pools map[pool]*share
}

// pool of nodes.
type pool struct {
	resource, instanceType string
	// typed: of one instance type, which may be empty, as on bare metal.
	typed bool
}

// share of a pool that is unfit.
type share struct{ nodes, unfit int }

// add an unfit node. One that has lost its devices was one of the pool, which is not smaller for that.
func (s *share) add(p pool, n *corev1.Node, lost bool) {
	if lost {
		s.unfit++
		if !p.has(n) {
			s.nodes++
		}
	}
}

// NewBudget of a cluster in which some nodes are unfit.
func NewBudget(p Policy, nodes []*corev1.Node, unfit func(name string) bool) *Budget {
	b := &Budget{policy: p, nodes: nodes, unfit: map[string]*corev1.Node{}, by: map[string][]string{}, pools: map[pool]*share{}}
	for _, n := range nodes {
		if unfit(n.Name) {
			b.unfit[n.Name] = n
		}
	}
	return b
}

// Refuses says why a node must not be called unfit by benchmarks that need these devices, "" for none; empty: it may be.
func (b *Budget) Refuses(node *corev1.Node, resources []string) string {
	for _, p := range poolsOf(node, resources) {
		s := b.of(p)
		limit, unfit := b.policy.share(s.nodes), s.unfit
		if p == (pool{}) {
			limit = b.policy.Cap(s.nodes)
		}
		if n := b.unfit[node.Name]; n != nil && b.lost(p, n) {
			unfit--
		}
		if unfit >= limit {
			return operatorBudgetSpent(unfit, s.nodes, p, limit)
		}
	}
	return ""
}

// Take counts a node as unfit from now on, by benchmarks that need these devices.
func (b *Budget) Take(node *corev1.Node, resources ...string) {
	if b.unfit[node.Name] != nil {
		return
	}
	b.unfit[node.Name], b.by[node.Name] = node, resources
	for p, s := range b.pools {
		s.add(p, node, b.lost(p, node))
	}
}

// lost: the unfit node counts in a pool. It does so, too, once it has no devices left: a driver that is gone takes those of a whole pool.
func (b *Budget) lost(p pool, n *corev1.Node) bool {
	if !p.types(n) {
		return false
	}
	_, had := n.Status.Allocatable[corev1.ResourceName(p.resource)]
	divided := workload.Shared(p.resource, n) != "" // it has not lost them
	return had && !divided || p.has(n) || slices.Contains(b.by[n.Name], p.resource)
}

// of counts a pool, once.
func (b *Budget) of(p pool) *share {
	s := b.pools[p]
	if s == nil {
		s = &share{}
		for _, n := range b.nodes {
			if p.has(n) {
				s.nodes++
			}
		}
		for _, n := range b.unfit {
			s.add(p, n, b.lost(p, n))
		}
		b.pools[p] = s
	}
	return s
}

// poolsOf a node, the largest first.
func poolsOf(node *corev1.Node, resources []string) []pool {
	all := []pool{{}}
	for _, r := range resources {
		all = append(all, pool{resource: r}, pool{resource: r, typed: true, instanceType: InstanceType(node)})
	}
	slices.SortStableFunc(all, func(a, b pool) int { return len(a.resource) - len(b.resource) })
	return slices.Compact(all)
}

// has the node, whether or not all of its devices are offered at this moment.
func (p pool) has(n *corev1.Node) bool {
	offered, capacity := n.Status.Allocatable[corev1.ResourceName(p.resource)], n.Status.Capacity[corev1.ResourceName(p.resource)]
	return p.types(n) && (p.resource == "" || offered.Sign() > 0 || capacity.Sign() > 0)
}

func (p pool) types(n *corev1.Node) bool { return !p.typed || InstanceType(n) == p.instanceType }

// InstanceType of a node; empty where nobody says.
func InstanceType(n *corev1.Node) string { return n.Labels[corev1.LabelInstanceTypeStable] }
