package verdict

import (
	"math"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

// minHistory: fewer earlier results than this are no past.
const minHistory = 3

// Past is what one benchmark measured on a node in passing runs.
type Past struct {
	// Passes by configuration. A run that is judged is none of its own past, which Without leaves out.
	Passes  []v1alpha1.PassHistory
	Without types.UID
}

// pastParts are the parts of one metric in earlier runs of one configuration, by their identities.
type pastParts struct {
	ids    Identities
	byID   map[string]*v1alpha1.PartHistory
	of     *v1alpha1.PassHistory
	before []bool // which of them came before the attempt
	factor float64
	// compared are the values of the attempt.
	compared int
}

// of a metric that is judged by its past. What was measured after the attempt is no past: judging again gives the same.
func (p Past) of(m *v1alpha1.Metric, a *v1alpha1.Attempt, values int) pastParts {
	if m.Expectation == nil || m.Expectation.MaxRegression == "" {
		return pastParts{}
	}
	i := slices.IndexFunc(p.Passes, func(h v1alpha1.PassHistory) bool { return h.Configuration == a.Configuration })
	if i < 0 {
		return pastParts{}
	}
	h := &p.Passes[i]
	k := slices.IndexFunc(h.Metrics, func(mh v1alpha1.MetricHistory) bool { return mh.Metric == m.Name })
	if k < 0 {
		return pastParts{}
	}
	factor, ok := quantity.Factor(h.Metrics[k].Unit, m.Unit)
	if !ok {
		return pastParts{}
	}
	out := pastParts{ids: NewIdentities(a.Devices), of: h, factor: factor, compared: values, byID: partsByID(h, &h.Metrics[k])}
	for _, r := range h.Runs {
		out.before = append(out.before, r.RunUID != p.Without && (a.LaunchTime == nil || r.Time.Before(a.LaunchTime)))
	}
	return out
}

func partsByID(h *v1alpha1.PassHistory, m *v1alpha1.MetricHistory) map[string]*v1alpha1.PartHistory {
	ids, out := NewIdentities(h.Devices), make(map[string]*v1alpha1.PartHistory, len(m.Parts))
	for i := range m.Parts {
		id := m.Parts[i].Identity
		if id == "" {
			id = ids.Of(m.Parts[i].At)
		}
		out[id] = &m.Parts[i]
	}
	return out
}

// level that a part had in earlier runs.
type level struct {
	center float64
	passes int
	since  time.Time // of the first of them
	// variance of the center, where that of one value is 1.
	variance float64
}

// partPast is what one part reached before.
type partPast struct {
	passes           int
	baseline, recent level // each of no passes where there were too few
	// scatter is the variance of its recent values from one to the next, as a fraction squared; compared, the values it is one of.
	scatter  float64
	steps    int
	compared int
}

// part with a name in the attempt.
func (p *pastParts) part(at string) partPast {
	if p.byID == nil {
		return partPast{}
	}
	h := p.byID[p.ids.Of(at)]
	if h == nil {
		return partPast{}
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
	out := partPast{passes: int(h.Passes) - late, compared: p.compared}
	if out.passes < BaselinePasses {
		out.passes = len(values)
	}
	if out.passes < minHistory {
		return out
	}
	out.baseline = p.baselineOf(h, values, times, out.passes)
	if n := len(values); n >= minHistory {
		out.recent = level{center: stat.Median(values), passes: n, since: times[0], variance: ofMedian(n)}
		out.scatter, out.steps = scatter(values, math.Abs(out.recent.center))
	}
	return out
}

// baselineOf a part: the frozen one, or, while the ring still has all of its values, the median of the first, so that none is in it that
// came after the attempt. Before it is full there is none: one fast value among three would fail the part for ever, because what fails
// never enters.
func (p *pastParts) baselineOf(h *v1alpha1.PartHistory, values []float64, times []time.Time, passes int) level {
	if passes < BaselinePasses {
		return level{}
	}
	l := level{passes: BaselinePasses, since: Since(p.of, h), variance: ofMedian(BaselinePasses)}
	if len(values) == passes {
		l.since, l.center = times[0], stat.Median(values[:BaselinePasses])
	} else {
		l.center, _ = quantity.ParseDecimal(h.Baseline)
		l.center *= p.factor
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
func (p *partPast) noise(m *v1alpha1.Metric) spread {
	claimed := noiseOf(m).run
	return shrink(claimed*claimed, p.scatter, float64(p.steps))
}

// allowed is how far, as a fraction, a value may be worse than a level: as far as its metric says, or as noise explains.
func (p *partPast) allowed(s *subject, l level, regression float64) float64 {
	run := p.noise(s.metric)
	sigma := math.Sqrt(run.variance * (1/s.evidence.attempts() + l.variance))
	const levels = 2
	return max(regression, min(maxNoiseShare, s.evidence.sigmas(float64(levels*p.compared), run.freedom)*sigma))
}

// strictest of the part's two levels: the one that leaves its value the least room. The first passes keep a part from getting slower
// step by step; the last ones show what a part has lost that got faster once.
func (p *partPast) strictest(s *subject, regression float64) (l level, bound float64) {
	for _, c := range []level{p.baseline, p.recent} {
		if c.passes == 0 || c.center == 0 {
			continue
		}
		b := s.within(c.center, p.allowed(s, c, regression)*math.Abs(c.center))
		stricter := ruling{bound: b, side: s.better()}
		if l.passes == 0 || stricter.shortfall(bound) > 0 {
			l, bound = c, b
		}
	}
	return l, bound
}

// regression: no worse than the part was itself in earlier passing runs, by more than the fraction allowed or its noise.
func regression(s *subject) ruling {
	fraction, ok := quantity.ParseDecimal(s.expect.MaxRegression)
	if !ok {
		return s.unset(v1alpha1.Decimal(s.expect.MaxRegression), "maxRegression")
	}
	const against = "its history"
	if s.past.passes < minHistory {
		return s.unjudged(against, message.TooFewPasses(s.past.passes, minHistory))
	}
	l, bound := s.past.strictest(s, fraction)
	if l.passes == 0 {
		return s.unjudged(against, message.MedianIsZero())
	}
	return ruling{state: bounded, bound: bound, center: l.center, centered: true, side: s.better(), limit: v1alpha1.Decimal(s.expect.MaxRegression)}
}

func offPast(s *subject, bound float64, scale quantity.Scale) string {
	fraction, _ := quantity.ParseDecimal(s.expect.MaxRegression)
	l, _ := s.past.strictest(s, fraction)
	off, _ := deviation(s.value, l.center)
	allowed, _ := deviation(bound, l.center)
	if l == s.past.baseline {
		return message.OffBaseline(off, l.center, l.passes, l.since, allowed, scale)
	}
	return message.OffRecentPasses(off, l.center, l.passes, allowed, scale)
}
