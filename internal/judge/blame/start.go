package blame

import (
	"math"
	"slices"

	"github.com/assay-dev/assay/internal/list"
)

// startLevels are what most nodes show. In small places a slow node may be in most of the pairs inside, or across, and would make its own speed the usual
// one: who is fast with nobody is no yardstick, if others are plainly faster. Where only such nodes met inside, who is slow across is none; and where nobody
// else met there either, a near pair is taken to be as fast as a far one at least: crossing gains nothing.
func (f *fit) startLevels() {
	for _, slot := range f.slots {
		slot.slow = false
	}
	near := f.shownAtStart(0, f.clean)
	f.level = [2]float64{ofMost(near), ofMost(f.shownAtStart(1, f.clean))}
	if !f.topology || len(f.nodes) < minNodes {
		return
	}
	f.findNeverFast()
	inside := f.shownAtStart(0, f.clean)
	for far, others := range [][]float64{inside, f.shownAtStart(1, f.clean)} {
		if len(others) > 0 && ofMost(others) > f.level[far]-2*f.doubtful(1) {
			f.level[far] = ofMost(others)
		}
	}
	if len(inside) > 0 {
		return
	}
	f.findSlowAcross()
	switch others := f.shownAtStart(0, func(l *link) bool { return l.a.slow == l.b.slow }); {
	case 2*len(others) >= len(near):
	case len(others) > 0:
		f.level[0] = ofMost(others)
	default:
		f.level[0] = max(f.level[0], f.level[1])
	}
}

// findNeverFast finds slots of which the best pair is slow beside that of most.
func (f *fit) findNeverFast() {
	best := func(slot *slot) (float64, bool) {
		ys := list.Map(slot.links, func(l *link) float64 { return l.y })
		return slices.Max(append(ys, math.Inf(-1))), len(ys) > 0
	}
	least := ofMost(list.Some(f.slots, best)) + f.doubtful(1)
	for _, slot := range f.slots {
		y, measured := best(slot)
		slot.slow = measured && y <= least
	}
}

// findSlowAcross finds slots whose far pairs are slow, not only with others of which that is so.
func (f *fit) findSlowAcross() {
	isFar := func(l *link) bool { return l.far == 1 }
	for _, slot := range f.slots {
		overs := list.Map(list.Where(slot.links, isFar), f.over)
		slot.slow = len(overs) > 0 && betterHalf(overs, f.sigma) <= f.doubtful(float64(len(overs)))
	}
	for _, slot := range list.Where(f.slots, func(s *slot) bool { return !slices.ContainsFunc(f.goodLinks(s), isFar) }) {
		slot.slow = false
	}
}

// shownAtStart by each slot is the better half of its near or far pairs that count.
func (f *fit) shownAtStart(far int, counts func(*link) bool) []float64 {
	return list.Some(f.slots, func(slot *slot) (float64, bool) {
		ys := list.Some(slot.links, func(l *link) (float64, bool) { return l.y, l.far == far && counts(l) })
		return betterHalf(ys, f.sigma), len(ys) > 0
	})
}

// ofMost is the upper median: most nodes are taken to be good, but not most pairs, of which a few slow nodes spoil many.
func ofMost(scores []float64) float64 {
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
		slot.inside = f.isSlowInside(slot)
		overs := list.Map(slot.telling(), f.over)
		slot.effect = betterHalf(overs, f.sigma)
		slot.slow = len(overs) > 0 && slot.effect <= f.doubtful(float64(len(overs)))
		if !slot.slow {
			slot.effect = 0
		}
	}
}

// isSlowInside: a far pair proves a node only up to what its way lets through. Where all near pairs of a slot are slow alike, no far one was faster, and partners
// are fast with others, it is the node: so many links are not slow by chance. Where far pairs are as slow as that for what is usual across, all pairs tell.
func (f *fit) isSlowInside(slot *slot) bool {
	near, far := slot.reached(0), slot.reached(1)
	fit := list.Count(slot.links, func(l *link) bool { return l.far == 0 && f.isFastInside(l.other(slot)) })
	if fit < minPartners || len(far) == 0 {
		return false
	}
	best, across, doubt := slices.Max(near), slices.Max(far), f.doubtful(1)
	alike := best-f.level[0] <= doubt && slices.Min(near) >= best+2*doubt
	return alike && across <= best-doubt && across-f.level[1] > (best-f.level[0])/2
}

// goodLinks of a slot tell of it, and lead to partners that are a yardstick.
func (f *fit) goodLinks(slot *slot) []*link {
	return list.Where(slot.links, func(l *link) bool { return slot.tells(l) && !l.other(slot).slow })
}

func (f *fit) goodLinksBut(slot *slot, except *link) []*link {
	return slices.DeleteFunc(f.goodLinks(slot), func(l *link) bool { return l == except })
}
