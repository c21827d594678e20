// Package past compares a node with itself: with what its parts reached in earlier runs that it passed.
package past

import (
	"cmp"
	"math"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

// MinHistory: fewer earlier results than this are no past.
const MinHistory = 3

// Past is what one benchmark measured on a node in passing runs.
type Past struct {
	// Passes by configuration. A run that is judged is none of its own past, which Without leaves out.
	Passes  []v1alpha1.PassHistory
	Without types.UID
	// Provisional: no run has passed yet, as each could be compared with nothing. What the parts reached then shows what they lose, and not that they
	// ever were what they should be.
	Provisional bool
}

// Parts are the parts of one metric in earlier runs of one configuration, by their identities.
type Parts struct {
	ids    part.Identities
	byID   map[string]*v1alpha1.PartHistory
	of     *v1alpha1.PassHistory
	before []bool // which of them came before the attempt
	factor float64
	// compared are the values of the attempt.
	compared    int
	provisional bool
}

// Of a metric that is judged by its past, or beside others. What was measured after the attempt is no past: judging again gives the same.
func (p Past) Of(m *v1alpha1.Metric, a *v1alpha1.Attempt, values int) Parts {
	if m.Expectation == nil || m.Expectation.MaxRegression == "" && m.Expectation.MaxFleetDeviation == "" {
		return Parts{}
	}
	h := p.passesLike(a)
	if h == nil {
		return Parts{}
	}
	passed, factor := historyOf(h, m)
	if passed == nil {
		return Parts{}
	}
	out := Parts{ids: part.NewIdentities(a.Devices), of: h, factor: factor, compared: values,
		provisional: p.Provisional, byID: make(map[string]*v1alpha1.PartHistory, len(passed.Parts))}
	before := part.NewIdentities(h.Devices)
	for one := range list.Each(passed.Parts) {
		out.byID[cmp.Or(one.Identity, before.Of(one.At))] = one
	}
	for r := range list.Each(h.Runs) {
		out.before = append(out.before, p.before(r, a))
	}
	return out
}

// passesLike an attempt: in its configuration; nil: there is none.
func (p Past) passesLike(a *v1alpha1.Attempt) *v1alpha1.PassHistory {
	return list.First(p.Passes, func(h *v1alpha1.PassHistory) bool { return h.Configuration == a.Configuration })
}

func (p Past) before(r *v1alpha1.PassingRun, a *v1alpha1.Attempt) bool {
	return r.RunUID != p.Without && (a.LaunchTime == nil || r.Time.Before(a.LaunchTime))
}

// historyOf a metric, and what its values are multiplied by to be in the metric's unit; nil: there is none in a like unit.
func historyOf(h *v1alpha1.PassHistory, m *v1alpha1.Metric) (passed *v1alpha1.MetricHistory, factor float64) {
	passed = list.First(h.Metrics, func(mh *v1alpha1.MetricHistory) bool { return mh.Metric == m.Name })
	if passed == nil {
		return nil, 0
	}
	factor, ok := quantity.Factor(passed.Unit, m.Unit)
	if !ok {
		return nil, 0
	}
	return passed, factor
}

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

// Part with a name in the attempt.
func (p *Parts) Part(at string) PartPast {
	if p.byID == nil {
		return PartPast{}
	}
	h := p.byID[p.ids.Of(at)]
	if h == nil {
		return PartPast{}
	}
	var values []float64
	var times []time.Time
	recent := Recent(h)
	late, first := 0, len(p.of.Runs)-len(recent)
	for i, text := range recent {
		v, ok := quantity.ParseDecimal(text)
		switch {
		case !ok || first+i < 0:
		case p.before[first+i]:
			values, times = append(values, v*p.factor), append(times, p.of.Runs[first+i].Time.Time)
		default:
			late++
		}
	}
	out := PartPast{Passes: int(h.Passes) - late, compared: p.compared, Provisional: p.provisional}
	if out.Passes < BaselinePasses {
		out.Passes = len(values)
	}
	if n := len(values); n > 0 {
		out.recent = Level{Center: stat.Median(values), Passes: n, Since: times[0], middle: times[n/2], variance: bounds.OfMedian(n)}
		out.scatter, out.steps = scatter(values, math.Abs(out.recent.Center))
	}
	if out.Passes >= MinHistory {
		out.Baseline = p.baselineOf(h, values, times, out.Passes)
	}
	return out
}

// baselineOf a part: the frozen one, or, while the ring still has all of its values, the median of the first, so that none is in it that
// came after the attempt. Before it is full there is none: one fast value among three would fail the part for ever, because what fails
// never enters.
func (p *Parts) baselineOf(h *v1alpha1.PartHistory, values []float64, times []time.Time, passes int) Level {
	if passes < BaselinePasses {
		return Level{}
	}
	l := Level{Passes: BaselinePasses, Since: Since(p.of, h), variance: bounds.OfMedian(BaselinePasses)}
	if len(values) == passes {
		l.Since, l.middle, l.Center = times[0], times[BaselinePasses/2], stat.Median(values[:BaselinePasses])
	} else {
		l.Center, _ = quantity.ParseDecimal(h.Baseline)
		l.Center *= p.factor
		l.middle = l.Since
	}
	return l
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

// Together is the past of several like parts: what they reached in the middle, if they vary together.
func Together(parts []PartPast) PartPast {
	var centers, scatters []float64
	out := PartPast{compared: 1}
	for p := range list.Each(parts) {
		if p.recent.Passes == 0 {
			continue
		}
		centers, scatters = append(centers, p.recent.Center), append(scatters, p.scatter)
		if out.recent.Passes == 0 || p.recent.Passes < out.recent.Passes {
			out.recent, out.steps = p.recent, p.steps
		}
	}
	if 2*len(centers) <= len(parts) {
		return PartPast{}
	}
	out.recent.Center, out.scatter = stat.Median(centers), stat.Median(scatters)
	return out
}
