package fleet

import (
	"math"
	"slices"
	"strings"
	"unique"

	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/list"
)

const (
	// leastSlots: what a place in a node is like by design is learnt from at least so many nodes.
	leastSlots = 4
	// slotSigmas is how many standard deviations of its median a place has to be off.
	slotSigmas = 4
)

// slots are the places in a node that are faster or slower than the others by design, by the name of the part there, as fractions.
type slots struct {
	// layout of the nodes they were learnt from; the other slices are in its order.
	layout unique.Handle[string]
	names  []string
	off    []float64
}

// of a part by its name; 0: it is like the others.
func (s *slots) of(at string) float64 {
	if s == nil {
		return 0
	}
	if i := slices.Index(s.names, at); i >= 0 {
		return s.off[i]
	}
	return 0
}

// learn how much like parts of a node vary, once places are set apart that are faster or slower in most nodes: no node is to blame for those.
// This is one sweep of a median polish by nodes and places (Tukey 1977, chapter 11).
func (l *levels) learn(claimed bounds.Noise) bounds.Spread {
	all := l.within(claimed)
	if l.slots = l.newSlots(math.Sqrt(all.Variance)); l.slots == nil {
		return all
	}
	return l.within(claimed)
}

// newSlots finds the places that are off by more than chance, where parts vary by sigma; nil for none.
func (l *levels) newSlots(sigma float64) *slots {
	layout, nodes := l.layout()
	if len(nodes) < leastSlots {
		return nil
	}
	s := slots{layout: layout, off: make([]float64, len(nodes[0].residuals))}
	far, some := slotSigmas*sigma*math.Sqrt(bounds.OfMedian(len(nodes))), false
	here := make([]float64, len(nodes))
	for i := range s.off {
		for k, n := range nodes {
			here[k] = float64(n.residuals[i])
		}
		if off := nearestToZero(here); math.Abs(off) > far {
			s.off[i], some = off, true
		}
	}
	if !some {
		return nil
	}
	s.names = strings.Split(strings.TrimSuffix(layout.Value(), "\n"), "\n")
	return &s
}

// layout that most nodes have, and which nodes these are.
func (l *levels) layout() (most unique.Handle[string], nodes []nodeLevel) {
	count := map[unique.Handle[string]]int{}
	for _, n := range l.nodes {
		if len(n.residuals) > 0 {
			if count[n.layout]++; count[n.layout] > count[most] {
				most = n.layout
			}
		}
	}
	return most, list.Where(l.nodes, func(n nodeLevel) bool { return len(n.residuals) > 0 && n.layout == most })
}

// within is how much like parts of a node vary, as it is claimed and seen.
func (l *levels) within(claimed bounds.Noise) bounds.Spread {
	var half betterHalf
	for _, n := range l.nodes {
		values := make([]float64, len(n.residuals))
		known := l.slots != nil && n.layout == l.slots.layout
		for i, r := range n.residuals {
			values[i] = float64(r)
			if known {
				values[i] -= l.slots.off[i]
			}
		}
		half.add(values, l.better)
	}
	return half.spread(claimed.Once())
}

// nearestToZero of the middle two values, or the middle one: a place is off only where more than half of the nodes say so.
func nearestToZero(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	low, high := values[(n-1)/2], values[n/2]
	switch {
	case low > 0:
		return low
	case high < 0:
		return high
	}
	return 0
}

const (
	// farOut: a value that is farther out, in standard deviations, counts as this far.
	farOut = 3
	// withinFarOut is the mean square of a standard normal variable that is cut off there.
	withinFarOut = 0.9946
	// halfEfficiency: the mean square of the better half of n values tells as much of their scatter as that of so many times n.
	halfEfficiency = 0.5
	// fewParts: among fewer, one that is slow moves their center so far that the others look fast.
	fewParts = 4
	// manyParts: from more, their median is taken, which is sharp enough then and takes less time.
	manyParts = 16
)
