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
