package verdict

import (
	"fmt"
	"math"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// end of a pair at which a GPU is.
type end int

const (
	eitherEnd end = iota
	firstEnd      // what the name of the pair begins with: the source of "gpu0->gpu1"
	lastEnd
)

func (e end) has(pair place, gpu int32) bool {
	return e != lastEnd && pair.gpus[0] == gpu || e != firstEnd && pair.gpus[1] == gpu
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

// judgeGPUs tells a slow GPU from slow links: where all pairs with one GPU are slow, the GPU falls short, which explains its pairs. It
// compares a GPU's pairs with those that it is not in, so that it works in a node that has no fleet.
func (f *Fleet) judgeGPUs(j *judgement, mj *metricJudgement, parts []subject) {
	pairs := pairsOf(parts)
	slow := j.slowGPUs(pairs)
	if len(slow) == 0 {
		return
	}
	if j.explained == nil {
		j.explained = map[partRule][]string{}
	}
	for at, by := range explainedBy(slow, pairs) {
		j.explained[partRule{pairs[0].metric.Name, at, ruleFleetDeviation}] = by
		if mj.subject.at == at {
			mj.shortfall = 0
		}
	}
	for _, g := range slow {
		mj.blame(j, g, *pairs[0])
	}
}

// dropExplained leaves out what is found of pairs whose GPUs are found slow.
func (j *judgement) dropExplained() {
	j.findings = slices.DeleteFunc(j.findings, func(f scored) bool { return f.Verdict == v1alpha1.VerdictFail && j.explains(f.Finding, nil) })
}

// explains says whether a finding is about a pair that slow GPUs explain: any, or those proved.
func (j *judgement) explains(f v1alpha1.Finding, proved map[partRule]bool) bool {
	return slices.ContainsFunc(j.explained[partRule{f.Metric, f.At, f.Rule}], func(gpu string) bool {
		return proved == nil || proved[partRule{f.Metric, gpu, f.Rule}]
	})
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
	for i := range parts {
		p := &parts[i]
		if isPair(p.place) && (len(pairs) == 0 || p.place.likeness == pairs[0].place.likeness && p.hardware == pairs[0].hardware) {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// slowGPUs of a node, by pairs that are alike. Where attempts are weighed, it notes how every GPU stands.
func (j *judgement) slowGPUs(pairs []*subject) []slowGPU {
	if len(pairs) == 0 || pairs[0].peers == nil {
		return nil
	}
	first := pairs[0]
	limit, asked := quantity.ParseDecimal(first.expect.MaxFleetDeviation)
	if !asked || j.standings == nil && allAlike(pairs, limit) {
		return nil
	}
	gpus := gpusOf(pairs)
	if len(gpus) < minLikeParts {
		return nil
	}
	ends := []end{eitherEnd}
	if first.place.kind == "gpu->gpu" {
		ends = []end{eitherEnd, firstEnd, lastEnd}
	}
	var slow []slowGPU
	for _, gpu := range gpus {
		found := false
		for _, e := range ends {
			g := slowGPU{gpu: gpu, end: e}
			grade := g.compare(pairs, limit, len(gpus), len(gpus)*len(ends))
			if j.standings != nil && grade != unseen {
				j.standings[partRule{first.metric.Name, g.at(), ruleFleetDeviation}] = standing{grade, g.value, g.ruling(first).bound, g.allowed * math.Abs(g.level)}
			}
			if grade == suspect && !found {
				slow, found = append(slow, g), true
			}
		}
	}
	return slow
}

func isPair(p place) bool {
	return (p.likeness == "gpu->gpu" || p.likeness == "gpu<->gpu") && len(p.gpus) == 2 && p.gpus[0] != p.gpus[1]
}

// allAlike: all pairs lie within what is allowed, so that no GPU's can be beyond it. It spares healthy nodes the rest.
func allAlike(pairs []*subject, limit float64) bool {
	least, most := math.Inf(1), math.Inf(-1)
	for i := range pairs {
		least, most = min(least, pairs[i].value), max(most, pairs[i].value)
	}
	return most-least <= limit*min(math.Abs(least), math.Abs(most))
}

func gpusOf(pairs []*subject) []int32 {
	var gpus []int32
	for i := range pairs {
		gpus = append(gpus, pairs[i].place.gpus...)
	}
	slices.Sort(gpus)
	return slices.Compact(gpus)
}

// compare a GPU's pairs with the others. It falls short where they do by more than is allowed and than noise explains in one of so many
// comparisons, and nearly all of them alike.
func (g *slowGPU) compare(pairs []*subject, limit float64, gpus, comparisons int) grade {
	var with, without []float64
	for i := range pairs {
		if p := pairs[i]; g.end.has(p.place, g.gpu) {
			with = append(with, p.value)
		} else if !eitherEnd.has(p.place, g.gpu) {
			without = append(without, p.value)
		}
	}
	if len(with) < minLikeParts-1 || len(without) < minLikeParts-1 {
		return unseen
	}
	g.value, g.level, g.pairs, g.others = quantity.Median(with), quantity.Median(without), len(with), len(without)
	if g.level == 0 {
		return unseen
	}
	s := pairs[0]
	sigma, freedom := g.noise(s, with, without, gpus)
	g.allowed = max(limit, min(s.evidence.sigmas(comparisons, freedom)*sigma, maxNoiseShare))
	lack := g.lack(s, g.value)
	for i := range pairs {
		if p := pairs[i]; g.lack(p, p.value) > lack/2 {
			g.slow++
			if g.end.has(p.place, g.gpu) {
				g.mine++
			}
		}
	}
	switch {
	case lack > g.allowed*(1+epsilon) && float64(g.mine) >= commonShare*float64(g.pairs):
		return suspect
	case lack > g.allowed/2:
		return unclear
	}
	return fine
}

// at names what is slow: the GPU, or all that leads from it or to it.
func (g *slowGPU) at() string {
	name := fmt.Sprintf("gpu%d", g.gpu)
	return [...]string{name, name + "->*", "*->" + name}[g.end]
}

// lack is by how much a value is worse than the level, as a fraction of it.
func (g *slowGPU) lack(s *subject, value float64) float64 {
	return (g.level - value) / math.Abs(g.level) * sign(s)
}

// sign is -1 where more is worse.
func sign(s *subject) float64 {
	if s.better() == v1alpha1.Lower {
		return -1
	}
	return 1
}

// noise is the standard deviation of the difference between a healthy GPU's pairs and the others. Healthy parts may differ by pair or
// by GPU; the greater of what follows from either counts. Both directions of a pair count once.
func (g *slowGPU) noise(s *subject, with, without []float64, gpus int) (sigma, freedom float64) {
	claimed := noiseOf(s.metric)
	distances := append(distances(with, g.value), distances(without, g.level)...)
	seen := madToSigma * middle(distances) / math.Abs(g.level)
	v := shrink(claimed.once()*claimed.averaged(s.evidence.attempts()), seen*seen, float64(len(distances)-2))
	if s.peers.nodes >= enoughNodes {
		v = spread{variance: s.peers.measured(), freedom: s.peers.within.freedom}
	}
	byGPU := (1 + 1/float64(gpus-1)) / 2
	byPair := ofMedian(gpus-1) + ofMedian((gpus-1)*(gpus-2)/2)
	return math.Sqrt(v.variance * max(byGPU, byPair)), v.freedom
}

func distances(values []float64, center float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Abs(v - center)
	}
	return out
}

// blame a GPU for its pairs, of which s is like one.
func (mj *metricJudgement) blame(j *judgement, g slowGPU, s subject) {
	s.at, s.value = g.at(), g.value
	s.place = newPlace(s.at)
	ruled := g.ruling(&s)
	shortfall := ruled.shortfall(s.value)
	j.object(s.metric.Name, s.at, ruleFleetDeviation, v1alpha1.VerdictFail, g.reading(&s, ruled.bound), shortfall)
	last := &j.findings[len(j.findings)-1]
	last.broken, last.value, last.unit = ruled, s.value, s.metric.Unit
	mj.show(&s, ruled, shortfall)
	for i := range mj.rules {
		mj.rules[i].broken = mj.rules[i].broken || mj.rules[i].name == ruleFleetDeviation
	}
}

func (g *slowGPU) ruling(s *subject) ruling {
	return ruling{state: bounded, bound: s.within(g.level, g.allowed*math.Abs(g.level)), center: g.level, centered: true,
		side: s.better(), limit: v1alpha1.Decimal(s.expect.MaxFleetDeviation)}
}

func (g *slowGPU) reading(s *subject, bound float64) string {
	scale := quantity.NewScale(s.metric.Unit, s.value, bound)
	ends := []message.End{message.EitherEnd, message.Source, message.Destination}
	return message.SlowGPU(fmt.Sprintf("gpu%d", g.gpu), uuids(s.place, s.devices), ends[g.end], g.mine, g.slow, s.metric.Name, s.value,
		-100*g.lack(s, s.value)*sign(s), g.level, g.others, s.better(), bound, scale)
}
