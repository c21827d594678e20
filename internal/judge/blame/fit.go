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
	level    [2]float64 // of near and of far pairs
	boundary []float64  // of each link: the slowness of the boundary that it crosses, 0 or less
	borders  []border
	effect   []float64 // of each slot
	slow     []bool    // slots that are no yardstick
	sigma    float64   // of one measurement
	between  float64   // standard deviation between healthy nodes, as it was seen
	apart    float64   // the same, beside what is claimed of it
	seen     float64   // the same as estimated, with the freedom below; sigma is never below the floor
	freedom  float64   // degrees of freedom behind seen
}

const (
	passes     = 3 // level, boundaries, nodes, noise: each needs the others
	manyLinks  = 32
	iterations = 12 // of the node effects; they settle in fewer
	// biweightCut gives Tukey's biweight 95% efficiency at the normal distribution.
	biweightCut = 4.685
)

func newFit(t *table) *fit {
	f := &fit{table: t, sigma: t.o.NoiseFloor, apart: t.o.Between, freedom: 1,
		boundary: make([]float64, len(t.links)), effect: make([]float64, t.slots()), slow: make([]bool, t.slots())}
	if len(t.links) == 0 {
		return f
	}
	f.level[0], f.level[1] = f.startLevel(0), f.startLevel(1)
	f.sigma = math.Max(f.sigma, f.startNoise())
	f.level[0], f.level[1] = f.startLevel(0), f.startLevel(1)
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
func (f *fit) base(k int) float64 { return f.level[f.links[k].far] + f.boundary[k] }

// over is how far a link is from its base.
func (f *fit) over(k int) float64 { return f.links[k].y - f.base(k) }

// residual is what the link's two ends do not explain. What the ends are worth is asked of their other links only, for
// a slow link pulls both its ends down a little and would so excuse itself.
func (f *fit) residual(k int) float64 {
	l := &f.links[k]
	a, b := f.effectWithout(l.a, k), f.effectWithout(l.b, k)
	sum, least := a+b, math.Min(a, b)
	over := f.over(k)
	if f.slow[l.a] && f.slow[l.b] && over > sum {
		return over - math.Min(over, least) // between both together and the slower one: nothing to explain
	}
	return over - sum
}

// effectWithout is the effect of a slot as its other links with good partners show it.
func (f *fit) effectWithout(slot, except int) float64 {
	if len(f.ofSlot[slot]) > manyLinks {
		return f.effect[slot] // one of so many does not pull
	}
	links := f.goodLinksBut(slot, except)
	if len(links) == 0 {
		return f.effect[slot]
	}
	effect, weights := stat.Median(f.shownBy(links, slot)), 0.0
	for range 3 {
		effect, weights = f.reweighted(links, slot, effect)
	}
	if f.slow[slot] && effect <= f.doubtful(float64(len(links))) {
		return effect
	}
	return effect * f.shrinkage(weights)
}

// shownOf a slot by one of its links: how far that is over its base, less the effect of its other end.
func (f *fit) shownOf(slot, k int) float64 { return f.over(k) - f.effect[f.links[k].other(slot)] }

func (f *fit) shownBy(links []int, slot int) []float64 {
	return list.Map(links, func(k int) float64 { return f.shownOf(slot, k) })
}

// reweighted is the mean of what links show of a slot, by their distance from an effect; that effect, where all are too far from it. Each link
// counts once, however often it was measured: a slow one must not outweigh the others.
func (f *fit) reweighted(links []int, slot int, effect float64) (mean, weights float64) {
	sum := 0.0
	for _, k := range links {
		shown := f.shownOf(slot, k)
		w := biweight((shown - effect) / f.sigma)
		sum, weights = sum+w*shown, weights+w
	}
	if weights == 0 {
		return effect, 0
	}
	return sum / weights, weights
}

// other end of a link, seen from a slot.
func (l *link) other(slot int) int { return l.a + l.b - slot }

// startLevel is the upper median over the nodes of the better half of their pairs: most nodes are taken to be good, but
// not most pairs, of which a few slow nodes spoil many.
func (f *fit) startLevel(far int) float64 {
	var scores []float64
	for slot := range f.ofSlot {
		var ys []float64
		for _, k := range f.ofSlot[slot] {
			if f.links[k].far == far {
				ys = append(ys, f.links[k].y)
			}
		}
		if len(ys) > 0 {
			scores = append(scores, betterHalf(ys, f.sigma))
		}
	}
	if len(scores) == 0 {
		return 0
	}
	slices.Sort(scores)
	return scores[len(scores)/2]
}

// doubtful is what makes a slot no yardstick: half of what is worth blame, beyond the noise of so much weight.
func (f *fit) doubtful(weight float64) float64 {
	return -math.Max(f.o.threshold()/2, screenNodes*f.sigma/math.Sqrt(math.Max(weight, 1)))
}

func (f *fit) startEffects() {
	for slot, links := range f.ofSlot {
		overs := list.Map(links, f.over)
		f.effect[slot] = betterHalf(overs, f.sigma)
		f.slow[slot] = len(links) > 0 && f.effect[slot] <= f.doubtful(float64(len(links)))
		if !f.slow[slot] {
			f.effect[slot] = 0
		}
	}
}

// goodLinks of a slot lead to partners that are a yardstick.
func (f *fit) goodLinks(slot int) []int {
	return list.Where(f.ofSlot[slot], func(k int) bool { return !f.slow[f.links[k].other(slot)] })
}

func (f *fit) goodLinksBut(slot, except int) []int {
	return slices.DeleteFunc(f.goodLinks(slot), func(k int) bool { return k == except })
}

// refine is one sweep of the alternating, reweighted means over all slots.
func (f *fit) refine() {
	for slot := range f.ofSlot {
		links := f.goodLinks(slot)
		if len(links) == 0 {
			continue // only slow partners: the start is all there is
		}
		effect, weights := f.reweighted(links, slot, f.effect[slot])
		f.effect[slot] = effect
		if f.slow[slot] = f.effect[slot] <= f.doubtful(float64(len(links))); !f.slow[slot] {
			f.effect[slot] *= f.shrinkage(weights)
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
	for slot, slow := range f.slow {
		if !slow {
			continue
		}
		links := f.goodLinks(slot)
		fast := list.Count(links, func(k int) bool {
			shown := f.shownOf(slot, k)
			return shown > f.effect[slot]/2 && shown-f.effect[slot] > 3.5*f.sigma/math.Sqrt(f.links[k].m)
		})
		if fast > 0 && fast >= len(links)/8 { // of very many pairs, noise makes some fast
			f.slow[slot], f.effect[slot] = false, 0
		}
	}
}

// clean links join two good slots across no slow boundary.
func (f *fit) clean(k int) bool {
	return f.boundary[k] == 0 && !f.slow[f.links[k].a] && !f.slow[f.links[k].b]
}

func (f *fit) settleLevels() {
	for far := range f.level {
		var rest []float64
		for k := range f.links {
			if f.links[k].far == far && f.clean(k) {
				rest = append(rest, f.residual(k))
			}
		}
		f.level[far] += stat.Median(rest)
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
