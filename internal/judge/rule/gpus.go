package rule

import (
	"math"
	"slices"

	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
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
