package blame

import (
	"cmp"
	"math"
	"slices"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/stat"
)

// verdict writes the inquiry down.
func (c *inquiry) verdict() Verdict {
	home := c.home()
	v := Verdict{Enough: c.enough, Message: c.lacks(), Level: c.o.value(home)}
	for _, s := range c.suspects {
		f := s.Finding
		f.Message = c.message(s)
		v.Findings = append(v.Findings, f)
	}
	for _, n := range c.nodes {
		worst := slices.MinFunc(n.slots, func(x, y *slot) int { return cmp.Compare(x.effect, y.effect) })
		e := NodeEffect{Name: n.Name, Effect: c.o.relative(worst.effect), Partners: n.measured, Reached: c.reached(worst, home),
			Margin: math.Expm1(max(2, c.beyond(alpha/float64(len(c.slots)))) * c.sigma / math.Sqrt(max(1, c.weight(worst))))}
		if e.Partners > 0 {
			e.Value = c.o.value(home) * (1 + e.Effect)
		}
		if finds := list.Map(n.slots, c.finds); slices.Min(finds) > 0 {
			e.Finds = slices.Max(finds)
		}
		v.Nodes = append(v.Nodes, e)
	}
	return v
}

// home is what good pairs reach inside a place; where no such pair was measured, across places.
func (c *inquiry) home() float64 {
	if c.ofLevel[0] == 0 {
		return c.level[1]
	}
	return c.level[0]
}

// Reached by one pair of a node, as it would have been inside a place, in the unit of the samples.
type Reached struct {
	Value float64
	// Partner is the best that the other node of the pair reached with anybody else. A pair is as fast as its slower node: where the
	// partner never was fast, it may be the one to blame. 0: it met nobody else.
	Partner float64
}

// reached is what the links of a slot with good partners reach, wherever they lead, at the level of home.
func (c *inquiry) reached(slot *slot, home float64) []Reached {
	var all []Reached
	for _, l := range c.goodLinks(slot) {
		r := Reached{Value: c.o.value(home + c.over(l))}
		if over, ok := c.fastest(l.other(slot), l); ok {
			r.Partner = c.o.value(home + over)
		}
		all = append(all, r)
	}
	return all
}

// fastest link of a slot but for one: how far it is over its base.
func (c *inquiry) fastest(slot *slot, except *link) (over float64, ok bool) {
	for _, l := range slot.links {
		if l != except && (!ok || c.over(l) > over) {
			over, ok = c.over(l), true
		}
	}
	return over, ok
}

// mostPairsSlow is how slow, in standard deviations of one pair, a node is of which 99 of 100 times nearly all pairs show at least half of it.
const mostPairsSlow = 4

// mostFound is the greatest loss that anything is said of: who has lost more is found by anybody.
const mostFound = 0.95

// finds is how slow this slot would have to be, so that its node is blamed in at least 99 of 100 cases, relative to the fleet: positive, more for a time that
// is longer; 0: of this slot, nothing is known to be found. It has to pass what slotSuspect asks: the screen by the pairs that it has, and the proof by those
// and the repetitions that would follow.
func (c *inquiry) finds(slot *slot) float64 {
	n, again := c.showing(slot), float64(c.o.Confirmations)
	if !c.enough || !c.majority || n < minPartners || slot.slow || c.isLevel(slot) {
		return 0
	}
	others := float64(len(c.nodes) - 1) // whose level is not known exactly either
	sigma := c.surelyBelow()
	err := func(pairs float64) float64 { return math.Sqrt((c.apart*c.apart + sigma*sigma/pairs) * (1 + 1/others)) }
	surely := stat.StudentCritical(0.005, c.freedom) // each of five conditions
	all := n + again
	loss := math.Abs(c.o.relative(-max(
		max(0.75*c.o.threshold(), screenNodes*err(n))+surely*err(n),
		c.beyond(alpha/float64(max(1, len(c.slots))))*err(all)+surely*err(all),
		c.o.threshold()+surely*err(math.Floor(all/2)),
		c.o.threshold()/2+surely*err(again),
		mostPairsSlow*sigma,
	)))
	if !(loss < mostFound) {
		return 0
	}
	return loss
}

// showing are the pairs that would show a loss of a slot: where ways across let less through, those inside, with partners that are fast there.
func (c *inquiry) showing(slot *slot) float64 {
	if len(slot.reached(1)) == 0 || c.level[1]-c.level[0] > -c.o.threshold() {
		return c.weight(slot)
	}
	return float64(list.Count(c.goodLinks(slot), func(l *link) bool { return l.far == 0 && c.isFastInside(l.other(slot)) }))
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
func (c *inquiry) isLevel(slot *slot) bool {
	var own [2]int
	for _, s := range slot.of.slots {
		for _, l := range s.links {
			own[l.far]++
		}
	}
	return 2*own[0] > c.ofLevel[0] || 2*own[1] > c.ofLevel[1]
}
