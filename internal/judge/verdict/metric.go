package verdict

import (
	"math"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// judgeMetric applies the rules to every part of one metric and sums it up as a headline.
func (f *Fleet) judgeMetric(j *judgement, m *v1alpha1.Metric, a *v1alpha1.Attempt, hw hardware, facts NodeFacts) {
	parts, whole := f.subjects(j, m, a, hw, facts)
	if len(parts) == 0 {
		return
	}
	whole = j.keepCurves(m, curvesOf(m, parts, facts.Smaller[m.Name]), len(a.Devices), whole)
	worst := headlinePart(parts)
	judged := metricJudgement{subject: worst, verdict: v1alpha1.VerdictPass}
	noted := map[string]bool{}
	judged.levels(j, parts)
	for i := range parts {
		for _, r := range partRules {
			judged.apply(j, &parts[i], r, noted)
		}
	}
	f.judgeGPUs(j, &judged, parts)
	j.held = append(j.held, judged.heldTerms(m)...)
	for _, r := range judged.rules {
		j.parts[[2]string{m.Name, r.name}] = r.parts
	}
	if !whole && judged.verdict == v1alpha1.VerdictPass {
		judged.verdict = v1alpha1.VerdictMissing
	}
	j.waiting = j.waiting || judged.waiting
	if m.Headline && mustBeJudged(m) && len(judged.rules) == 0 && !judged.waiting && !f.speaksForItself(m, a, facts.Peaks) {
		judged.verdict = v1alpha1.VerdictInconclusive
		j.unjudged = append(j.unjudged, nothingJudged(worst, judged.lacks))
	}
	if m.Headline {
		j.headline = append(j.headline, judged.headline(f.benchmark))
		if j.reading == "" {
			j.reading = reading(judged.subject, rule{}, judged.subject.value)
		}
	}
}

// mustBeJudged: a pass of this metric is worth nothing unless a rule judged it. A past has to begin with a pass that no past could judge, so
// that a metric that is compared with its past only is let pass. So is one that only has to be efficient, where it was measured at one size.
func mustBeJudged(m *v1alpha1.Metric) bool {
	if !expects(m) {
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
	if s.expect.MinFractionOfPeak != "" || s.expect.MinFractionOfReached != "" {
		peak = s.metric.Peak
	}
	return message.NothingJudged(reading(s, rule{}, s.value), lacks, s.expect.MaxFleetDeviation != "", peak, s.better())
}

// metricJudgement is what was found about one metric: the part to show is the worst failing one, if any.
type metricJudgement struct {
	subject   *subject
	decided   ruling // the bound shown with the headline, where its state is bounded
	verdict   v1alpha1.Verdict
	shortfall float64
	waiting   bool
	behind    bool // it is not as good as other nodes, as a whole
	// rules that had a bound for at least one part, and whether all parts held it.
	rules []judgedRule
	// lacks says what the others lacked.
	lacks []string
}

// apply lets one rule judge one part. noted keeps "too little data" to one finding per rule and kind of part.
func (mj *metricJudgement) apply(j *judgement, s *subject, r rule, noted map[string]bool) {
	ruled := r.judge(s)
	switch ruled.state {
	case noData:
		if !noted[ruled.why] {
			noted[ruled.why] = true
			mj.lacks = append(mj.lacks, ruled.why)
			j.object(s.metric.Name, s.place.kind, r.name, v1alpha1.VerdictSkipped, ruled.why, 0)
		}
	case waiting:
		mj.waiting = true
	case bounded:
		shortfall := ruled.shortfall(s.value)
		if shortfall == 0 && ruled.judgesNothing() {
			if why := message.BoundJudgesNothing(r.name); !slices.Contains(mj.lacks, why) {
				mj.lacks = append(mj.lacks, why)
			}
			return
		}
		mj.note(r.name, s.place.kind, ruled, s.value, 1)
		j.stand(s.metric.Name, s.at, r.name, &ruled, s.value)
		if other, ok := s.besideNodes(); ok && r.name == ruleFleetDeviation && j.evidence == Suspicion {
			j.stand(s.metric.Name, s.at, r.name, &other, s.value)
		}
		if shortfall > 0 {
			j.object(s.metric.Name, s.at, r.name, v1alpha1.VerdictFail, reading(s, r, ruled.bound), shortfall)
			last := &j.findings[len(j.findings)-1]
			last.broken, last.value, last.unit = ruled, s.value, s.metric.Unit
		}
		mj.show(s, ruled, shortfall)
	}
}

// show keeps what the headline shows: the worst failing part with the bound it broke, else the part it began with and
// the bound that leaves it the least room.
func (mj *metricJudgement) show(s *subject, r ruling, shortfall float64) {
	switch {
	case shortfall > mj.shortfall:
		mj.subject, mj.decided, mj.shortfall, mj.verdict = s, r, shortfall, v1alpha1.VerdictFail
	case shortfall == 0 && mj.shortfall == 0 && s == mj.subject && (mj.decided.state != bounded || room(s, r) < room(s, mj.decided)):
		mj.decided = r
	}
}

// room is how far a value is on the good side of a bound.
func room(s *subject, r ruling) float64 { return math.Abs(s.value - r.bound) }

func (mj *metricJudgement) headline(benchmark string) v1alpha1.HeadlineValue {
	s := mj.subject
	h := v1alpha1.HeadlineValue{
		Benchmark: benchmark, Metric: s.metric.Name, Unit: s.metric.Unit, At: s.at,
		Value: quantity.Decimal(s.value, quantity.Exact), Verdict: mj.verdict,
	}
	if mj.waiting && mj.verdict == v1alpha1.VerdictPass {
		h.Verdict = v1alpha1.VerdictPending
	}
	if mj.decided.state == bounded {
		h.Expected = quantity.Decimal(mj.decided.bound, apiDigits)
	}
	if p, ok := s.percentOfPeak(); ok {
		h.PercentOfPeak = quantity.DecimalPercent(p)
	}
	if d, ok := s.fromFleet(); ok {
		h.FleetDeviationPercent = quantity.DecimalPercent(d)
	}
	return h
}

// subjects are the parts of a metric that can be judged. What cannot is reported as missing where something is expected
// of it, which makes the metric less than whole, and noted where it is only recorded.
func (f *Fleet) subjects(j *judgement, m *v1alpha1.Metric, a *v1alpha1.Attempt, hw hardware, facts NodeFacts) (parts []subject, whole bool) {
	whole = true
	absent := func(at, why string) {
		v := v1alpha1.VerdictSkipped
		if expects(m) {
			v, whole = v1alpha1.VerdictMissing, false
		}
		j.object(m.Name, at, ruleMissing, v, why, 0)
	}
	got := measurement(a, m.Name)
	if got == nil || len(got.Parts) == 0 {
		if why, excused := nothingToMeasure(m, a, facts.Peaks); excused && expects(m) {
			j.object(m.Name, "", ruleMissing, v1alpha1.VerdictSkipped, message.NothingToMeasure(m.Name, why), 0)
		} else if expects(m) {
			absent("", message.NotReported(m.Name, why))
		}
		return nil, whole
	}
	factor, ok := quantity.Factor(got.Unit, m.Unit)
	if !ok {
		absent("", message.UnitDiffers(m.Name, got.Unit, m.Unit))
		return nil, whole
	}
	expect := m.Expectation
	if expect == nil {
		expect = &v1alpha1.Expectation{}
	}
	parts = make([]subject, 0, len(got.Parts))
	past := facts.Past.of(m, a, len(got.Parts))
	for i := range got.Parts {
		at := got.Parts[i].At
		v, ok := quantity.ParseDecimal(got.Parts[i].Value)
		if !ok {
			absent(at, message.ValueUnreadable(m.Name, at, string(got.Parts[i].Value)))
			continue
		}
		s := subject{metric: m, expect: expect, at: at, devices: a.Devices, value: v * factor, evidence: j.evidence}
		s.place, s.past = f.place(at), past.part(at)
		if n := len(parts); n > 0 && parts[n-1].place.kind == s.place.kind {
			s.peak, s.noPeak = parts[n-1].peak, parts[n-1].noPeak
		} else {
			s.peak, s.noPeak = facts.Peaks.find(m, s.place.kind)
		}
		s.hardware = hw.of(s.place)
		s.attempt = a
		parts = append(parts, s)
	}
	if f.complete && compared(m) {
		f.compare(m, parts, pool{devices: hw.all, configuration: a.Configuration}, facts.Node, j.evidence)
	}
	return parts, whole
}

// compare finds what the parts of a metric are compared with: of those that are measured as shared says.
func (f *Fleet) compare(m *v1alpha1.Metric, parts []subject, shared pool, node string, e Evidence) {
	shared.metric, shared.unit = m.Name, m.Unit
	if d := f.ownOf(node); d != nil {
		shared.host = d.Host
	}
	type alike struct{ likeness, hardware string }
	values := map[alike][]float64{}
	for i := range parts {
		key := alike{parts[i].place.likeness, parts[i].hardware}
		values[key] = append(values[key], parts[i].value)
	}
	found := make(map[alike]*peers, len(values))
	for i := range parts {
		s := &parts[i]
		key := alike{s.place.likeness, s.hardware}
		if found[key] == nil {
			shared.likeness, shared.hardware = key.likeness, key.hardware
			found[key] = f.newPeers(m, shared, s.place.kind, values[key], node, e)
		}
		s.peers = found[key]
	}
	for _, p := range found {
		p.explain(len(found))
	}
}

// levels judges what each kind of like parts reaches together.
func (mj *metricJudgement) levels(j *judgement, parts []subject) {
	done := map[*peers]bool{nil: true}
	for i := range parts {
		p := parts[i].peers
		if done[p] {
			continue
		}
		done[p] = true
		mj.nodeDeviation(j, &parts[i])
	}
}

// nothingToMeasure says whether a metric may be absent because what it is measured on is not there: the program counted 0 of it,
// and by its profiles the hardware has none. why also says what speaks against that; empty where the metric depends on nothing.
func nothingToMeasure(m *v1alpha1.Metric, a *v1alpha1.Attempt, peaks Peaks) (why string, excused bool) {
	count := measurement(a, m.DependsOn)
	if m.DependsOn == "" || count == nil || len(count.Parts) == 0 {
		return "", false
	}
	for i := range count.Parts {
		if n, ok := quantity.ParseDecimal(count.Parts[i].Value); !ok || n != 0 {
			return "", false
		}
	}
	kind := PartKind(count.Parts[0].At)
	switch profile := peaks.giving(m.Peak); {
	case profile != "":
		return message.CountContradictsProfile(m.DependsOn, kind, profile, m.Peak), false
	case !peaks.describe(kind):
		return message.CountUnconfirmed(m.DependsOn, kind), false
	}
	return message.CountIsZero(m.DependsOn, kind), true
}

// headlinePart is the part that stands for the node: the node as a whole where that was measured, else the worst part; of several sizes the
// greatest.
func headlinePart(parts []subject) *subject {
	worst := &parts[0]
	for i := range parts {
		s := &parts[i]
		switch {
		case s.place.whole != worst.place.whole:
			if s.place.whole {
				worst = s
			}
		case s.curve != nil && s.curve == worst.curve:
			if s.size > worst.size {
				worst = s
			}
		case s.better() == v1alpha1.Higher && s.value < worst.value, s.better() == v1alpha1.Lower && s.value > worst.value:
			worst = s
		}
	}
	return worst
}

// expects says whether any rule is set for a metric.
func expects(m *v1alpha1.Metric) bool {
	return m.Expectation != nil && *m.Expectation != v1alpha1.Expectation{}
}

// compared with the fleet is what is judged or shown. What is only recorded would take as much memory again.
func compared(m *v1alpha1.Metric) bool { return m.Headline || expects(m) }
