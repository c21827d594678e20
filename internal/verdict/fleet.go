// Package verdict judges measurements: it compares every part that a benchmark measured with the hardware's peak, with
// like parts of its node and of other nodes, with the node's own history and with fixed bounds, and says in words what it found.
// It is pure: the same measurements and catalogue give the same verdict, in whatever order the nodes come. It never
// reads a clock, a cluster or a file, and it never guesses: a rule without enough data says so and convicts nobody.
package verdict

import (
	"unique"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Fleet holds what like parts of many nodes measured by one benchmark.
type Fleet struct {
	benchmark string
	metrics   []v1alpha1.Metric
	complete  bool
	ofGroups  bool
	digests   map[string]*Digest // by node
	pools     map[unique.Handle[pool]]*levels
	places    map[string]place // every part's name, read once
}

// NewFleet compares nodes by their digests: own are those of a run's first measured attempts, known is what other nodes reached when they
// last passed, both in any order; a node that is in both counts as it is in own. With complete false the fleet rule does
// not decide yet, because nodes that are still to come would move the median.
func NewFleet(benchmark string, metrics []v1alpha1.Metric, own, known []Digest, complete bool) *Fleet {
	f := &Fleet{benchmark: benchmark, metrics: metrics, complete: complete, places: map[string]place{}}
	if !complete {
		return f
	}
	f.digests = make(map[string]*Digest, len(own)+len(known))
	f.pools = map[unique.Handle[pool]]*levels{}
	for i := range own {
		f.add(&own[i])
	}
	for i := range known {
		if _, measured := f.digests[known[i].Node]; !measured {
			f.add(&known[i])
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
	if d.Node != "" {
		f.digests[d.Node] = d
	}
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

// place of a part by its name.
func (f *Fleet) place(at string) place {
	p, known := f.places[at]
	if !known {
		p = newPlace(at)
		f.places[at] = p
	}
	return p
}
