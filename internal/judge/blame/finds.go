package blame

import (
	"math"

	"github.com/assay-dev/assay/internal/stat"
)

// mostPairsSlow is how slow, in standard deviations of one pair, a node is of which 99 of 100 times nearly all pairs show at least half of it.
const mostPairsSlow = 4

// mostFound is the greatest loss that anything is said of: who has lost more is found by anybody.
const mostFound = 0.95

// finds is how slow this slot would have to be, so that its node is blamed in at least 99 of 100 cases, relative to the fleet: positive, more for a time that
// is longer; 0: of this slot, nothing is known to be found. It has to pass what slotSuspect asks: the screen by the pairs that it has, and the proof by those
// and the repetitions that would follow.
func (c *inquiry) finds(slot int) float64 {
	n, again := c.weight(slot), float64(c.o.Confirmations)
	if !c.enough || !c.majority || n < minPartners || c.slow[slot] || isLevel(c, slot) {
		return 0
	}
	others := float64(len(c.nodes) - 1) // whose level is not known exactly either
	sigma := c.surelyBelow()
	err := func(pairs float64) float64 { return math.Sqrt((c.apart*c.apart + sigma*sigma/pairs) * (1 + 1/others)) }
	surely := stat.StudentCritical(0.005, c.freedom) // each of five conditions
	all := n + again
	loss := math.Abs(c.o.relative(-max(
		max(0.75*c.o.threshold(), screenNodes*err(n))+surely*err(n),
		c.beyond(alpha/float64(max(1, c.slots())))*err(all)+surely*err(all),
		c.o.threshold()+surely*err(math.Floor(all/2)),
		c.o.threshold()/2+surely*err(again),
		mostPairsSlow*sigma,
	)))
	if !(loss < mostFound) {
		return 0
	}
	return loss
}

// surelyBelow is what noise is below in 19 of 20 such fleets: the floor, unless more is seen, of which few pairs tell little (the chi-squared distribution,
// by Wilson and Hilferty 1931).
func (f *fit) surelyBelow() float64 {
	if f.seen <= f.o.NoiseFloor {
		return f.o.NoiseFloor
	}
	part := 2 / (9 * f.freedom)
	return f.seen / math.Pow(max(0.5, 1-part-stat.NormalCritical(0.05)*math.Sqrt(part)), 1.5)
}

// isLevel: the pairs of a slot are most of those that its level is known from, as of a node that is alone in its place, so that a loss would look like theirs.
func isLevel(c *inquiry, slot int) bool {
	var own [2]int
	for _, s := range c.slotsOf(c.node(slot)) {
		for _, k := range c.ofSlot[s] {
			own[c.links[k].far]++
		}
	}
	return 2*own[0] > c.ofLevel[0] || 2*own[1] > c.ofLevel[1]
}
