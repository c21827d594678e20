package blame

import (
	"math"
	"slices"

	"github.com/assay-dev/assay/internal/list"
)

// startLevel is the upper median over the nodes of the better half of their pairs: most nodes are taken to be good, but
// not most pairs, of which a few slow nodes spoil many.
func (f *fit) startLevel(far int) float64 {
	var scores []float64
	for _, slot := range f.slots {
		if ys := list.Some(slot.links, func(l *link) (float64, bool) { return l.y, l.far == far }); len(ys) > 0 {
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
	for _, slot := range f.slots {
		overs := list.Map(slot.links, f.over)
		slot.effect = betterHalf(overs, f.sigma)
		slot.slow = len(slot.links) > 0 && slot.effect <= f.doubtful(float64(len(slot.links)))
		if !slot.slow {
			slot.effect = 0
		}
	}
}

// goodLinks of a slot lead to partners that are a yardstick.
func (f *fit) goodLinks(slot *slot) []*link {
	return list.Where(slot.links, func(l *link) bool { return !l.other(slot).slow })
}

func (f *fit) goodLinksBut(slot *slot, except *link) []*link {
	return slices.DeleteFunc(f.goodLinks(slot), func(l *link) bool { return l == except })
}
