package blame

import (
	"math"

	"github.com/assay-dev/assay/internal/stat"
)

// mostPairsSlow is how slow, in standard deviations of one pair, a node is of which 99 of 100 times nearly all pairs show at least half of it.
const mostPairsSlow = 4

// finds is how slow this slot would have to be, so that its node is blamed in at least 99 of 100 cases, relative to the fleet: positive, more for a time that
// is longer; 0: of this slot, nothing is known to be found. It has to pass what slotSuspect asks: the screen by the pairs that it has, and the proof by those
// and the repetitions that would follow.
func (c *inquiry) finds(slot int) float64 {
	n := c.weight(slot)
	if !c.enough || !c.majority || n < minPartners || c.slow[slot] {
		return 0
	}
	others := float64(len(c.nodes) - 1) // whose level is not known exactly either
	err := func(pairs float64) float64 {
		return math.Sqrt((c.apart*c.apart + c.sigma*c.sigma/pairs) * (1 + 1/others))
	}
	surely := stat.StudentCritical(0.005, c.freedom) // each of five conditions
	again := float64(c.o.Confirmations)
	all := n + again
	loss := max(
		max(0.75*c.o.threshold(), screenNodes*err(n))+surely*err(n),
		c.beyond(alpha/float64(max(1, c.slots())))*err(all)+surely*err(all),
		c.o.threshold()+surely*err(math.Floor(all/2)),
		c.o.threshold()/2+surely*err(again),
		mostPairsSlow*c.sigma,
	)
	return math.Abs(c.o.relative(-loss))
}
