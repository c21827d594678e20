// Package fleet compares nodes with each other: what like parts of many nodes reached, and how much they vary.
package fleet

import (
	"cmp"
	"math"
	"slices"
	"unique"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

// Fleet holds what like parts of many nodes measured by one benchmark.
type Fleet struct {
	// OfGroups: what is compared are groups of nodes.
	OfGroups bool
	Own      []*Digest // by node
	pools    map[unique.Handle[Pool]]*levels
}

// New compares nodes by their digests: own are those of a run's first measured attempts, known is what other nodes reached when they
// last passed, both in any order; a node that is in both counts as it is in own.
func New(metrics []v1alpha1.Metric, own, known []*Digest) *Fleet {
	f := &Fleet{pools: map[unique.Handle[Pool]]*levels{}}
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
	for g := range list.Each(d.groups) {
		l := f.levelsOf(g.pool)
		l.nodes = append(l.nodes, nodeLevel{g, d, residuals[:g.residuals]})
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

// remember what a part reached before.
func (to *pooled) remember(p *v1alpha1.PartHistory) {
	values := list.Some(past.Recent(p), quantity.ParseDecimal[v1alpha1.Decimal])
	if first, ok := quantity.ParseDecimal(p.Baseline); ok && p.Passes >= past.BaselinePasses {
		to.before[0] = append(to.before[0], first)
	}
	if len(values) >= past.MinHistory {
		to.before[1] = append(to.before[1], stat.Median(values))
	}
}

// compareWithPast notes how a node changed: what it reached now, in this run or in its last pass, beside what it did before.
func (f *Fleet) compareWithPast(known, own *Digest) {
	for g := range list.Each(known.groups) {
		now := g.level
		if own != nil {
			measured := own.group(g.pool)
			if measured == nil {
				continue
			}
			now = measured.level
		}
		l := f.levelsOf(g.pool)
		for i, was := range g.before {
			if change, ok := bounds.Ratio(now-was, math.Abs(was)); ok {
				l.changes[i] = append(l.changes[i], change)
			}
		}
	}
}

// settleShift finds by how much most nodes have become worse than they were. No node is to blame for what most of them have in common, such as a
// driver: each is compared with its own past less that. A fleet that is far behind its past has no such excuse.
func (l *levels) settleShift(run float64) {
	shift := func(changes []float64, passes int) float64 {
		n := len(changes)
		if n < leastSlots {
			return 0
		}
		off := nearestToZero(changes)
		worse := off < 0 == (l.better != v1alpha1.Lower)
		sigma := run * math.Sqrt((1+bounds.OfMedian(passes))*bounds.OfMedian(n))
		if !worse || math.Abs(off) <= slotSigmas*sigma || math.Abs(off) > mostApart {
			return 0
		}
		return off
	}
	l.shift = past.Shift{First: shift(l.changes[0], past.BaselinePasses), Last: shift(l.changes[1], past.BaselinePasses)}
	l.changes = [2][]float64{}
}
