package rule

import (
	"fmt"
	"math"

	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

// slowGPU is a GPU whose pairs are slow because of it: all that it is in, or all at one end of which it is.
type slowGPU struct {
	gpu int32
	end end
	// value is the median of those pairs, level that of the pairs without the GPU.
	value, level  float64
	pairs, others int
	// allowed is how much worse than the level the value may be, as a fraction of it.
	allowed float64
	// slow pairs there are in all; mine are those that the GPU is in.
	slow, mine int
}

const (
	// commonShare of a GPU's pairs must be slow alike before it, and not a link, is to blame.
	commonShare = 0.75
	// enoughNodes other than its own, and a fleet tells how much healthy pairs vary: one slow GPU among them hardly counts.
	enoughNodes = 3
)

// compare a GPU's pairs with the others. It falls short where they do by more than is allowed and than noise explains in one of so many
// comparisons, and nearly all of them alike; at one end, where it does not do so at the other.
func (g *slowGPU) compare(pairs []*subject, limit float64, gpus, comparisons int) Grade {
	with, back, without := g.split(pairs)
	if len(with) < fleet.MinLikeParts-1 || len(without) < fleet.MinLikeParts-1 {
		return Unseen
	}
	g.value, g.level, g.pairs, g.others = stat.Median(with), stat.Median(without), len(with), len(without)
	if g.level == 0 {
		return Unseen
	}
	s := pairs[0]
	sigma, of := g.noise(s, with, without, gpus)
	g.allowed = max(limit, min(s.certainty.Sigmas(float64(comparisons), of)*sigma, bounds.MostNoise))
	lack := g.lack(s, g.value)
	for _, p := range pairs {
		if g.lack(p, p.value) > lack/2 {
			g.slow++
			if g.end.has(p.place, g.gpu) {
				g.mine++
			}
		}
	}
	oneWay := len(back) == 0 || g.lack(s, stat.Median(back)) < lack/2
	switch {
	case lack > g.allowed*(1+bounds.Epsilon) && float64(g.mine) >= commonShare*float64(g.pairs) && oneWay:
		return Suspect
	case lack > g.allowed/2:
		return unclear
	}
	return Fine
}

// split the values of pairs: those with the GPU at the end in question, those with it at the other end, and those without it.
func (g *slowGPU) split(pairs []*subject) (with, back, without []float64) {
	for _, p := range pairs {
		switch {
		case g.end.has(p.place, g.gpu):
			with = append(with, p.value)
		case eitherEnd.has(p.place, g.gpu):
			back = append(back, p.value)
		default:
			without = append(without, p.value)
		}
	}
	return with, back, without
}

// at names what is slow: the GPU, or all that leads from it or to it.
func (g *slowGPU) at() string {
	name := fmt.Sprintf("gpu%d", g.gpu)
	return [...]string{name, name + "->*", "*->" + name}[g.end]
}

// lack is by how much a value is worse than the level, as a fraction of it.
func (g *slowGPU) lack(s *subject, value float64) float64 {
	return (g.level - value) / math.Abs(g.level) * s.sign()
}

// noise is the standard deviation of the difference between a healthy GPU's pairs and the others. Healthy parts may differ by pair or
// by GPU; the greater of what follows from either counts. Both directions of a pair count once.
func (g *slowGPU) noise(s *subject, with, without []float64, gpus int) (sigma float64, of bounds.Spread) {
	claimed := bounds.NoiseOf(s.metric)
	distances := append(distances(with, g.value), distances(without, g.level)...)
	seen := stat.MADToSigma * stat.Median(distances) / math.Abs(g.level)
	v := bounds.OfLike(claimed.Once()*claimed.Averaged(s.certainty.Attempts()), seen*seen, bounds.MADEfficiency*float64(len(distances)-2), nil)
	if s.peers.Others.Nodes >= enoughNodes {
		v = s.peers.Within
		v.Variance = s.peers.Measured()
	}
	byGPU := (1 + 1/float64(gpus-1)) / 2
	byPair := bounds.OfMedian(gpus-1) + bounds.OfMedian((gpus-1)*(gpus-2)/2)
	return math.Sqrt(v.Variance * max(byGPU, byPair)), v
}

func distances(values []float64, center float64) []float64 {
	return list.Map(values, func(v float64) float64 { return math.Abs(v - center) })
}

// reading says that the GPU, and not the links, makes its pairs slow. An arrow leads from the source to the destination.
func (g *slowGPU) reading(s *subject, bound float64) string {
	scale := quantity.NewScale(s.metric.Unit, s.value, bound)
	gpu := message.PartWith(fmt.Sprintf("gpu%d", g.gpu), s.place.UUIDs(s.attempt.Devices))
	pairs := fmt.Sprintf("%d of %d slow pairs", g.mine, g.slow)
	if g.mine == g.slow {
		pairs = fmt.Sprintf("all %d slow pairs", g.slow)
	}
	end := [...]string{"in", "the source of", "the destination of"}[g.end]
	deviation := -100 * g.lack(s, s.value) * s.sign()
	return fmt.Sprintf("%s is %s %s: %s %s, %s %s the other %d pairs (typical %s), %s", gpu, end, pairs, s.metric.Name, scale.Format(s.value),
		quantity.Percent(math.Abs(deviation)), message.Side(deviation), g.others, scale.Format(g.level), boundIs(bound, scale))
}
