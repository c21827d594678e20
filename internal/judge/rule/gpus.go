package rule

import (
	"fmt"
	"math"
	"slices"

	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

// judgeGPUs tells a slow GPU from slow links: where all pairs with one GPU are slow, the GPU falls short, which explains its pairs. It
// compares a GPU's pairs with those that it is not in, so that it works in a node that has no fleet.
func judgeGPUs(j *Sheet, mj *metricSheet, parts []subject) {
	pairs := pairsOf(parts)
	slow := j.slowGPUs(pairs)
	if len(slow) == 0 {
		return
	}
	if j.Explained == nil {
		j.Explained = map[PartRule][]string{}
	}
	for at, by := range explainedBy(slow, pairs) {
		j.Explained[PartRule{pairs[0].metric.Name, at, term.FleetDeviation}] = by
		if mj.subject.at == at {
			mj.shortfall = 0
		}
	}
	for _, g := range slow {
		mj.blame(j, g, *pairs[0])
	}
}

// explainedBy slow GPUs are the pairs that lack no more than their GPUs do together, each with the names of those.
func explainedBy(slow []slowGPU, pairs []*subject) map[string][]string {
	explained := map[string][]string{}
	for _, p := range pairs {
		lack, theirs, allowed := 0.0, 0.0, 0.0
		var by []string
		for _, g := range slow {
			if g.end.has(p.place, g.gpu) {
				by = append(by, g.at())
				lack, theirs, allowed = max(lack, g.lack(p, p.value)), theirs+g.lack(p, g.value), max(allowed, g.allowed)
			}
		}
		if len(by) > 0 && lack-theirs <= allowed {
			explained[p.at] = by
		}
	}
	return explained
}

// pairsOf GPUs among the parts: those that are like the first of them.
func pairsOf(parts []subject) []*subject {
	var pairs []*subject
	for p := range list.Each(parts) {
		if isPair(p.place) && (len(pairs) == 0 || p.place.Likeness == pairs[0].place.Likeness && p.hardware == pairs[0].hardware) {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// slowGPUs of a node, by pairs that are alike. Where attempts are weighed, it notes how every GPU stands.
func (j *Sheet) slowGPUs(pairs []*subject) []slowGPU {
	if len(pairs) == 0 || pairs[0].peers == nil {
		return nil
	}
	first := pairs[0]
	limit, asked := quantity.ParseDecimal(first.limits[term.FleetDeviation])
	if !asked || j.Standings == nil && allAlike(pairs, limit) {
		return nil
	}
	gpus := slices.Concat(list.Map(pairs, func(p *subject) []int32 { return p.place.GPUs })...)
	slices.Sort(gpus)
	gpus = slices.Compact(gpus)
	if len(gpus) < fleet.MinLikeParts {
		return nil
	}
	ends := []end{eitherEnd}
	if first.place.Kind == "gpu->gpu" {
		ends = []end{eitherEnd, firstEnd, lastEnd}
	}
	var slow []slowGPU
	for _, gpu := range gpus {
		found := false
		for _, e := range ends {
			g := slowGPU{gpu: gpu, end: e}
			grade := g.compare(pairs, limit, len(gpus), len(gpus)*len(ends))
			j.noteWorst(PartRule{first.metric.Name, g.at(), term.FleetDeviation}, Standing{grade, bounds.Value{By: first.beside(g.level, g.allowed), Value: g.value}})
			if grade == Suspect && !found {
				slow, found = append(slow, g), true
			}
		}
	}
	return slow
}

func isPair(p part.Place) bool {
	return (p.Likeness == "gpu->gpu" || p.Likeness == "gpu<->gpu") && len(p.GPUs) == 2 && p.GPUs[0] != p.GPUs[1]
}

// allAlike: all pairs lie within what is allowed, so that no GPU's can be beyond it. It spares healthy nodes the rest.
func allAlike(pairs []*subject, limit float64) bool {
	least, most := math.Inf(1), math.Inf(-1)
	for i := range pairs {
		least, most = min(least, pairs[i].value), max(most, pairs[i].value)
	}
	return most-least <= limit*min(math.Abs(least), math.Abs(most))
}

// blame a GPU for its pairs, of which s is like one.
func (mj *metricSheet) blame(j *Sheet, g slowGPU, s subject) {
	s.at, s.value = g.at(), g.value
	s.place = part.Read(s.at)
	ruled := s.beside(g.level, g.allowed)
	j.objectTo(s.metric, s.at, term.FleetDeviation, g.reading(&s, ruled.Edge), bounds.Value{By: ruled, Value: s.value})
	mj.show(&s, ruled, ruled.Shortfall(s.value))
	for i := range mj.rules {
		mj.rules[i].broken = mj.rules[i].broken || mj.rules[i].name == term.FleetDeviation
	}
}

// end of a pair at which a GPU is.
type end int

const (
	eitherEnd end = iota
	firstEnd      // what the name of the pair begins with: the source of "gpu0->gpu1"
	lastEnd
)

func (e end) has(pair part.Place, gpu int32) bool {
	return e != lastEnd && pair.GPUs[0] == gpu || e != firstEnd && pair.GPUs[1] == gpu
}

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
