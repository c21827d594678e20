package past

import (
	"math"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/stat"
)

// Level that a part had in earlier runs.
type Level struct {
	Center float64
	Passes int
	Since  time.Time // of the first of them
	// middle is when the middle one of them was; of a baseline whose values are not kept, the first.
	middle time.Time
	// variance of the center, where that of one value is 1.
	variance float64
	// Shift is by how much less is expected than was reached, which is in the center: what most nodes have lost, or what is accepted.
	Shift    float64
	Accepted bool
}

// PartPast is what one part reached before.
type PartPast struct {
	Passes           int
	Baseline, recent Level // each of no passes where there were none, or too few for a baseline
	// scatter is the variance of its recent values from one to the next, as a fraction squared; compared, the values it is one of.
	scatter  float64
	steps    int
	compared int
	// Provisional: it never passed.
	Provisional bool
}

// scatter is the variance of values from one to the next, as a fraction of a level squared: what moves slowly adds little to it. It is
// made of the median change, so that one glitch says nothing.
func scatter(values []float64, level float64) (variance float64, steps int) {
	if level == 0 || len(values) < 2 {
		return 0, 0
	}
	changes := make([]float64, len(values)-1)
	for i := range changes {
		changes[i] = math.Abs(values[i+1]-values[i]) / level
	}
	sigma := stat.MADToSigma * stat.Median(changes)
	return sigma * sigma / 2, len(changes)
}

// noise of the part from run to run: what its metric claims, and what its recent values show.
func (p *PartPast) noise(m *v1alpha1.Metric) bounds.Spread {
	claimed := bounds.NoiseOf(m).Run
	return bounds.OfRun(claimed*claimed, p.scatter, bounds.MADEfficiency*float64(p.steps))
}

// allowed is how far, as a fraction, a value may be worse than a level: as far as its metric says, or as noise explains.
func (p *PartPast) allowed(m *v1alpha1.Metric, e bounds.Certainty, l Level, regression float64) float64 {
	run := p.noise(m)
	sigma := math.Sqrt(run.Variance * (1/e.Attempts() + l.variance))
	comparisons := 2 * p.compared // with two levels
	if e != bounds.Suspicion {    // which costs an attempt, and no more
		comparisons *= runsOfYear
	}
	return max(regression, min(bounds.MostNoise, e.Sigmas(float64(comparisons), run)*sigma))
}

// levels that the part may be compared with.
func (p *PartPast) levels() []Level {
	return list.Where([]Level{p.Baseline, p.recent}, func(l Level) bool { return l.Passes >= MinHistory && l.Center != 0 })
}

// Least loss of the part against its levels that is found in at least 99 of 100 cases where a suspect is measured so often, as a fraction; 0: it is not
// compared with them.
func (p *PartPast) Least(m *v1alpha1.Metric, measurements int, regression float64) (least float64) {
	for _, c := range p.levels() {
		run := p.noise(m).Variance
		noise := bounds.Difference{Lasting: run * c.variance, Run: run}
		loss := noise.Least(p.allowed(m, bounds.Suspicion, c, regression), p.allowed(m, bounds.MeanOf(measurements), c, regression), measurements)
		if least == 0 || loss < least {
			least = loss
		}
	}
	return least
}

// Strictest of the part's two levels: the one that leaves its value the least room. The first passes keep a part from getting slower
// step by step; the last ones show what a part has lost that got faster once.
func (p *PartPast) Strictest(m *v1alpha1.Metric, e bounds.Certainty, regression float64) (l Level, bound float64) {
	for _, c := range p.levels() {
		b := bounds.Within(m, c.Center, p.allowed(m, e, c, regression)*math.Abs(c.Center))
		stricter := bounds.Bound{Edge: b, Side: bounds.Better(m)}
		if l.Passes == 0 || stricter.Shortfall(bound) > 0 {
			l, bound = c, b
		}
	}
	return l, bound
}

// runsOfYear: a node is compared with its past again and again, each time by noise of its own. So the runs of a year, of which there is one a week,
// share the chance to convict it by mistake.
const runsOfYear = 52

// Again is how bad the mean of some attempts has to be to convict a part beside others, where edge is how bad for one that was never compared
// with them before. It passed then, and what keeps it near the edge is there in every run, so that in one of many noise would push it across. So it
// has to be worse than it was as well, or the mean of all runs beyond the edge.
func (p *PartPast) Again(m *v1alpha1.Metric, e bounds.Certainty, edge float64) float64 {
	l := p.recent
	if e == bounds.Suspicion || l.Passes == 0 {
		return edge
	}
	run := p.noise(m)
	worse := bounds.Within(m, l.Center, math.Abs(l.Center)*
		e.Sigmas(float64(max(1, p.compared)), run)*math.Sqrt(run.Variance*(1/e.Attempts()+l.variance)))
	allRuns := edge + float64(l.Passes)/e.Attempts()*(edge-l.Center)
	side := bounds.Better(m)
	if bounds.Worse(side, worse, allRuns) == worse {
		worse = allRuns
	}
	return bounds.Worse(side, edge, worse)
}
