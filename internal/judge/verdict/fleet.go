// Package verdict judges measurements: it compares every part that a benchmark measured with the hardware's peak, with
// like parts of its node and of other nodes, with the node's own history and with fixed bounds, and says in words what it found.
// It is pure: the same measurements and catalogue give the same verdict, in whatever order the nodes come. It never
// reads a clock, a cluster or a file, and it never guesses: a rule without enough data says so and convicts nobody.
package verdict

import (
	"cmp"
	"slices"
	"unique"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Fleet holds what like parts of many nodes measured by one benchmark.
type Fleet struct {
	benchmark string
	metrics   []v1alpha1.Metric
	complete  bool
	ofGroups  bool
	own       []*Digest // by node
	pools     map[unique.Handle[pool]]*levels
	places    map[string]place // every part's name, read once
	facts     []v1alpha1.FactExpectation
	consensus map[factPlace]*consensus
}

// NewFleet compares nodes by their digests: own are those of a run's first measured attempts, known is what other nodes reached when they
// last passed, both in any order; a node that is in both counts as it is in own. With complete false the fleet rule does
// not decide yet, because nodes that are still to come would move the median.
func NewFleet(benchmark string, metrics []v1alpha1.Metric, own, known []*Digest, complete bool) *Fleet {
	f := &Fleet{benchmark: benchmark, metrics: metrics, complete: complete, places: map[string]place{}}
	if !complete {
		return f
	}
	f.own = slices.SortedStableFunc(slices.Values(own), func(a, b *Digest) int { return cmp.Compare(a.Node, b.Node) })
	f.pools = map[unique.Handle[pool]]*levels{}
	for _, d := range own {
		f.add(d)
	}
	for _, d := range known {
		if f.ownOf(d.Node) == nil {
			f.add(d)
		}
	}
	byName := make(map[string]*v1alpha1.Metric, len(metrics))
	for i := range metrics {
		byName[metrics[i].Name] = &metrics[i]
	}
	for p, l := range f.pools {
		if m := byName[p.Value().metric]; m != nil {
			l.close(m)
		}
	}
	return f
}

// OfGroups says that what is compared are groups of nodes.
func (f *Fleet) OfGroups() *Fleet {
	f.ofGroups = true
	return f
}

// add a node's like parts to their pools.
func (f *Fleet) add(d *Digest) {
	residuals := d.residuals
	for i := range d.groups {
		g := &d.groups[i]
		l := f.pools[g.pool]
		if l == nil {
			l = &levels{}
			f.pools[g.pool] = l
		}
		l.add(d, g, residuals[:g.residuals])
		residuals = residuals[g.residuals:]
	}
}

// ownOf a node is what it measured in this run; nil: nothing.
func (f *Fleet) ownOf(node string) *Digest {
	i, found := slices.BinarySearchFunc(f.own, node, func(d *Digest, node string) int { return cmp.Compare(d.Node, node) })
	if !found || node == "" {
		return nil
	}
	return f.own[i]
}

// place of a part by its name.
func (f *Fleet) place(at string) place {
	p, known := f.places[at]
	if !known {
		p = newPlace(at)
		f.places[at] = p
	}
	return p
}
