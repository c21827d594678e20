package rule

import (
	"fmt"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/expect"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

// judgeMetric applies the rules to every part of one metric and sums it up as a headline.
func (r *Set) judgeMetric(j *Sheet, m *v1alpha1.Metric, a *v1alpha1.Attempt, hw part.Hardware, facts Given) {
	found := len(j.Findings)
	parts, whole := r.subjects(j, m, a, hw, facts)
	if len(parts) == 0 {
		return
	}
	whole = j.keepCurves(m, curvesOf(m, parts, facts.Smaller[m.Name]), len(a.Devices), whole)
	sizesOfMessages(m, parts)
	worst := headlinePart(m, parts)
	judged := metricSheet{subject: worst, verdict: v1alpha1.VerdictPass}
	noted := map[string]bool{}
	judged.levels(j, parts)
	for i := range parts {
		for _, by := range partRules {
			judged.apply(j, &parts[i], by, noted)
		}
	}
	judgeGPUs(j, &judged, parts)
	j.held = append(j.held, judged.heldTerms(m)...)
	judged.number(j.Findings[found:])
	if !whole && judged.verdict == v1alpha1.VerdictPass {
		judged.verdict = v1alpha1.VerdictMissing
	}
	j.waiting = j.waiting || judged.waiting
	if m.Headline && mustBeJudged(m) && !judged.proves && !judged.waiting && !r.speaksForItself(m, a, facts.Peaks) {
		judged.verdict = v1alpha1.VerdictInconclusive
		j.unjudged = append(j.unjudged, nothingJudged(worst, judged.lacks))
	}
	if m.Headline {
		j.Headline = append(j.Headline, judged.headline(r.benchmark, facts.Measurements))
		if j.reading == "" {
			j.reading = reading(judged.subject, rule{}, judged.subject.value)
		}
	}
}

// mustBeJudged: a pass of this metric is worth nothing unless a rule judged it. A past has to begin with a pass that no past could judge, so
// that a metric that is compared with its past only is let pass. So is one that only has to be efficient, where it was measured at one size.
func mustBeJudged(m *v1alpha1.Metric) bool {
	if !expect.Expects(m) {
		return false
	}
	e := *m.Expectation
	if least, ok := quantity.ParseDecimal(e.Min); ok && least <= 0 && (e.MaxRegression != "" || e.MinEfficiency != "") {
		e.Min = "" // it only has to be there
	}
	e.MaxRegression, e.MinEfficiency = "", ""
	return e != v1alpha1.Expectation{}
}

// nothingJudged says what a metric lacks that no rule could judge.
func nothingJudged(s *subject, lacks []string) string {
	peak := ""
	if s.limits[term.FractionOfPeak] != "" || s.limits[term.FractionOfReached] != "" {
		peak = s.metric.Peak
	}
	return NothingJudged(reading(s, rule{}, s.value), lacks, s.limits[term.FleetDeviation] != "", peak, s.better())
}

func (mj *metricSheet) headline(benchmark string, measurements int) v1alpha1.HeadlineValue {
	s := mj.subject
	h := v1alpha1.HeadlineValue{
		Benchmark: benchmark, Metric: s.metric.Name, Unit: s.metric.Unit, At: s.at,
		Value: quantity.Decimal(s.value, quantity.Exact), Verdict: mj.verdict,
	}
	if mj.waiting && mj.verdict == v1alpha1.VerdictPass {
		h.Verdict = v1alpha1.VerdictPending
	}
	if mj.decided.State == bounds.Bounded {
		h.Expected = quantity.Decimal(mj.decided.Edge, quantity.ShownDigits)
	}
	if p, ok := s.percentOfPeak(); ok {
		h.PercentOfPeak = quantity.DecimalPercent(p)
	}
	if d, others, ok := s.besides(); ok && others.With.Own == 0 {
		h.Typical = quantity.Decimal(others.Center, quantity.ShownDigits)
		h.FleetDeviationPercent = quantity.DecimalPercent(d)
	}
	if measurements > 0 && !mj.waiting {
		if f := s.finds(measurements); f.rule != "" {
			h.FindsFromPercent, h.FindsBy = quantity.DecimalPercent(100*f.loss), f.rule
		}
	}
	return h
}

// levels judges what each kind of like parts reaches together.
func (mj *metricSheet) levels(j *Sheet, parts []subject) {
	for _, alike := range list.Groups(slices.Collect(list.Each(parts)), func(s *subject) *fleet.Peers { return s.peers }) {
		if first := alike[0]; first.peers != nil {
			mj.outrun(j, first)
			mj.nodeDeviation(j, first, past.Together(list.Map(alike, func(s *subject) past.PartPast { return s.past })))
		}
	}
}

// apply lets one rule judge one part. noted keeps "too little data" to one finding per rule and kind of part.
func (mj *metricSheet) apply(j *Sheet, s *subject, r rule, noted map[string]bool) {
	ruled := r.judge(s)
	switch ruled.State {
	case bounds.NoData:
		if !noted[ruled.Why] {
			noted[ruled.Why] = true
			mj.lacks = append(mj.lacks, ruled.Why)
			j.object(s.metric.Name, s.place.Kind, r.name, v1alpha1.VerdictSkipped, ruled.Why)
		}
	case bounds.Waiting:
		mj.waiting = true
	case bounds.Bounded:
		shortfall := ruled.Shortfall(s.value)
		if shortfall == 0 && ruled.JudgesNothing() {
			if why := fmt.Sprintf("its bound (%s) is 0 or less, which every value meets", r.name); !slices.Contains(mj.lacks, why) {
				mj.lacks = append(mj.lacks, why)
			}
			return
		}
		mj.note(r.name, s.place.Kind, ruled, s.value, 1)
		j.stand(s.metric.Name, s.at, r.name, &ruled, s.value)
		if other, ok := s.besideNodes(); ok && r.name == term.FleetDeviation && j.certainty == bounds.Suspicion {
			j.stand(s.metric.Name, s.at, r.name, &other, s.value)
		}
		if shortfall > 0 {
			j.objectTo(s.metric, s.at, r.name, reading(s, r, ruled.Edge), bounds.Value{By: ruled, Value: s.value})
		}
		mj.show(s, ruled, shortfall)
	}
}
