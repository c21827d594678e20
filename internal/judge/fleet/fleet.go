// Package fleet compares nodes with each other: what like parts of many nodes reached, and how much they vary.
package fleet

import (
	"cmp"
	"slices"
	"unique"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
)

// Fleet holds what like parts of many nodes measured by one benchmark.
type Fleet struct {
	metrics []v1alpha1.Metric
	// OfGroups: what is compared are groups of nodes.
	OfGroups bool
	Own      []*Digest // by node
	pools    map[unique.Handle[Pool]]*levels
}

// New compares nodes by their digests: own are those of a run's first measured attempts, known is what other nodes reached when they
// last passed, both in any order; a node that is in both counts as it is in own.
func New(metrics []v1alpha1.Metric, own, known []*Digest) *Fleet {
	f := &Fleet{metrics: metrics, pools: map[unique.Handle[Pool]]*levels{}}
	f.Own = slices.SortedStableFunc(slices.Values(own), func(a, b *Digest) int { return cmp.Compare(a.Node, b.Node) })
	for _, d := range own {
		f.add(d)
	}
	for _, d := range known {
		own := f.OwnOf(d.Node)
		if own == nil {
			f.add(d)
		}
		f.compareWithPast(d, own)
	}
	byName := make(map[string]*v1alpha1.Metric, len(metrics))
	for i := range metrics {
		byName[metrics[i].Name] = &metrics[i]
	}
	var spreads []*bounds.Spread
	for p, l := range f.pools {
		if m := byName[p.Value().Metric]; m != nil {
			l.close(m)
			spreads = l.spreads(spreads)
		}
	}
	bounds.Together(spreads)
	return f
}

// add a node's like parts to their pools.
func (f *Fleet) add(d *Digest) {
	residuals := d.residuals
	for i := range d.groups {
		g := &d.groups[i]
		f.levelsOf(g.pool).add(d, g, residuals[:g.residuals])
		residuals = residuals[g.residuals:]
	}
}

func (f *Fleet) levelsOf(p unique.Handle[Pool]) *levels {
	l := f.pools[p]
	if l == nil {
		l = &levels{}
		f.pools[p] = l
	}
	return l
}

// OwnOf a node is what it measured in this run; nil: nothing, or there is no fleet yet.
func (f *Fleet) OwnOf(node string) *Digest {
	if f == nil {
		return nil
	}
	i, found := slices.BinarySearchFunc(f.Own, node, func(d *Digest, node string) int { return cmp.Compare(d.Node, node) })
	if !found || node == "" {
		return nil
	}
	return f.Own[i]
}
