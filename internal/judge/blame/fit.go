package blame

import (
	"math"
	"slices"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/stat"
)

// fit is what the model makes of a table.
type fit struct {
	*table
	level   [2]float64 // of near and of far pairs
	borders []border
	sigma   float64 // of one measurement
	between float64 // standard deviation between healthy nodes, as it was seen
	apart   float64 // the same, beside what is claimed of it
	seen    float64 // the same as estimated, with the freedom below; sigma is never below the floor
	freedom float64 // degrees of freedom behind seen
}

const (
	passes     = 3 // level, boundaries, nodes, noise: each needs the others
	manyLinks  = 32
	iterations = 12 // of the node effects; they settle in fewer
	// biweightCut gives Tukey's biweight 95% efficiency at the normal distribution.
	biweightCut = 4.685
)

func newFit(t *table) *fit {
	f := &fit{table: t, sigma: t.o.NoiseFloor, apart: t.o.Between, freedom: 1}
	if len(t.links) == 0 {
		return f
	}
	f.startLevels()
	f.sigma = math.Max(f.sigma, f.startNoise())
	f.startLevels()
	f.sigma = math.Max(f.o.NoiseFloor, f.startNoise())
	for range passes {
		f.findBorders()
		f.startEffects()
		for range iterations {
			f.refine()
		}
		f.clear()
		f.settleLevels()
		f.estimateNoise()
	}
	return f
}

// base is what a link should reach between two nodes like all others.
func (f *fit) base(l *link) float64 { return f.level[l.far] + l.boundary }

// over is how far a link is from its base.
func (f *fit) over(l *link) float64 { return l.y - f.base(l) }

// residual is what the link's two ends do not explain. What the ends are worth is asked of their other links only, for
// a slow link pulls both its ends down a little and would so excuse itself.
func (f *fit) residual(l *link) float64 {
	a, b := f.effectWithout(l.a, l), f.effectWithout(l.b, l)
	sum, least := a+b, math.Min(a, b)
	over := f.over(l)
	if l.a.slow && l.b.slow && over > sum {
		return over - math.Min(over, least) // between both together and the slower one: nothing to explain
	}
	return over - sum
}

// effectWithout is the effect of a slot as its other links with good partners show it.
func (f *fit) effectWithout(slot *slot, except *link) float64 {
	if !slot.tells(except) {
		return 0
	}
	if len(slot.links) > manyLinks {
		return slot.effect // one of so many does not pull
	}
	links := f.goodLinksBut(slot, except)
	if len(links) == 0 {
		return slot.effect
	}
	effect, weights := stat.Median(f.shownBy(links, slot)), 0.0
	for range 3 {
		effect, weights = f.reweighted(links, slot, effect)
	}
	if slot.slow && effect <= f.doubtful(float64(len(links))) {
		return effect
	}
	return effect * f.shrinkage(weights)
}

// shownOf a slot by one of its links: how far that is over its base, less the effect of its other end.
func (f *fit) shownOf(slot *slot, l *link) float64 { return f.over(l) - l.other(slot).effect }

func (f *fit) shownBy(links []*link, slot *slot) []float64 {
	return list.Map(links, func(l *link) float64 { return f.shownOf(slot, l) })
}

// reweighted is the mean of what links show of a slot, by their distance from an effect; that effect, where all are too far from it. Each link
// counts once, however often it was measured: a slow one must not outweigh the others.
func (f *fit) reweighted(links []*link, slot *slot, effect float64) (mean, weights float64) {
	sum := 0.0
	for _, l := range links {
		shown := f.shownOf(slot, l)
		w := biweight((shown - effect) / f.sigma)
		sum, weights = sum+w*shown, weights+w
	}
	if weights == 0 {
		return effect, 0
	}
	return sum / weights, weights
}

// refine is one sweep of the alternating, reweighted means over all slots.
func (f *fit) refine() {
	for _, slot := range f.slots {
		links := f.goodLinks(slot)
		if len(links) == 0 {
			continue // only slow partners: the start is all there is
		}
		effect, weights := f.reweighted(links, slot, slot.effect)
		slot.effect = effect
		if slot.slow = slot.effect <= f.doubtful(float64(len(links))); !slot.slow {
			slot.effect *= f.shrinkage(weights)
		}
	}
}

// shrinkage is the share of a healthy node's mean that is its own and not noise.
func (f *fit) shrinkage(weight float64) float64 {
	if weight == 0 {
		return 0
	}
	own := f.between * f.between
	return own / (own + f.sigma*f.sigma/weight)
}

// clear clears slots of which a pair with a good partner is plainly faster than the slot is said to be: a slow node
// has no fast pair. Its slow pairs are then links to look at.
func (f *fit) clear() {
	for _, slot := range f.slots {
		if !slot.slow {
			continue
		}
		links := f.goodLinks(slot)
		fast := list.Count(links, func(l *link) bool {
			shown := f.shownOf(slot, l)
			return shown > slot.effect/2 && shown-slot.effect > 3.5*f.sigma/math.Sqrt(l.m)
		})
		if fast > 0 && fast >= len(links)/8 { // of very many pairs, noise makes some fast
			slot.slow, slot.effect = false, 0
		}
	}
}

// clean links join two good slots across no slow boundary.
func (f *fit) clean(l *link) bool {
	return l.boundary == 0 && !l.a.slow && !l.b.slow
}

func (f *fit) settleLevels() {
	for far := range f.level {
		clean := list.Where(f.links, func(l *link) bool { return l.far == far && f.clean(l) })
		f.level[far] += stat.Median(list.Map(clean, f.residual))
	}
}

// betterHalf is the mean of the better half of values, less what normal noise of this size alone would add to it (Blom's
// scores of the order statistics). It sorts values in place.
func betterHalf(values []float64, sigma float64) float64 {
	n := len(values)
	if n == 0 {
		return 0
	}
	slices.Sort(values)
	half := max(1, n/2)
	sum := 0.0
	for i := n - half; i < n; i++ {
		sum += values[i] - sigma*stat.NormalCritical(1-(float64(i+1)-0.375)/(float64(n)+0.25))
	}
	return sum / float64(half)
}

// biweight is the weight of a value at a distance of so many standard deviations.
func biweight(distance float64) float64 {
	u := distance / biweightCut
	if u <= -1 || u >= 1 {
		return 0
	}
	return (1 - u*u) * (1 - u*u)
}
