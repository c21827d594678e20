package verdict

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// maxFindings is the bound of BenchmarkResult.findings.
const maxFindings = 256

// NodeFacts are what a node brings to the judgement beside its measurements.
type NodeFacts struct {
	// Smaller sizes that were measured elsewhere, by metric: of a group, what some of its nodes reached.
	Smaller map[string][]PartValue
	// Node by its name, as its digest has it.
	Node string
	// Peaks of the node's hardware.
	Peaks Peaks
	// Past of this benchmark on this node.
	Past Past
	// Convicted are the convictions by this benchmark that stand.
	Convicted []v1alpha1.Conviction
}

// AttemptJudgement is what the rules found about one attempt.
type AttemptJudgement struct {
	// Verdict of the attempt; Pending where it still runs, or where only the fleet rule is still to come.
	Verdict  v1alpha1.Verdict
	Reason   string
	Message  string
	Headline []v1alpha1.HeadlineValue
	// Curves of the metrics that scale.
	Curves []v1alpha1.Curve
	// Findings, worst first.
	Findings []v1alpha1.Finding
	// FleetPending: it passed everything that can be judged now; the fleet rule waits for the other nodes.
	FleetPending bool
	// Terms that the rules set, and whether the attempt met them.
	Terms Terms

	attempt *v1alpha1.Attempt
}

// scored is a finding with what orders it.
type scored struct {
	v1alpha1.Finding
	shortfall float64
	// broken is the bound that the value breaks, of a finding about one.
	broken ruling
	value  float64
	unit   string
}

// judgement collects what is found about one attempt.
type judgement struct {
	benchmark string
	evidence  Evidence
	findings  []scored
	headline  []v1alpha1.HeadlineValue
	curves    []v1alpha1.Curve
	reading   string // of the first headline metric, for a pass
	waiting   bool
	unjudged  []string // headlines that no rule could judge
	held      []Term
	parts     map[[2]string]int32   // judged, by metric and rule
	standings map[partRule]standing // of all parts, where several attempts are weighed
	explained map[partRule][]string // parts that fall short because of others, which are found to
}

// Judge applies the rules to one attempt, or to the mean of several: data checks, missing measurements, then each metric part by part.
func (f *Fleet) Judge(a *v1alpha1.Attempt, facts NodeFacts, e Evidence) AttemptJudgement {
	if a == nil {
		return AttemptJudgement{Verdict: v1alpha1.VerdictPending, Message: message.NotMeasuredYet()}
	}
	if a.Verdict != v1alpha1.VerdictPass && a.Verdict != v1alpha1.VerdictFail {
		return AttemptJudgement{Verdict: a.Verdict, Reason: a.Reason, Message: quantity.Clip(a.Message, message.Longest), attempt: a}
	}
	return f.rules(a, facts, e).conclude(a)
}

// rules lets all rules judge an attempt that was measured.
func (f *Fleet) rules(a *v1alpha1.Attempt, facts NodeFacts, e Evidence) *judgement {
	return f.judgeBy(&judgement{benchmark: f.benchmark, evidence: e, parts: map[[2]string]int32{}}, a, facts)
}

func (f *Fleet) judgeBy(j *judgement, a *v1alpha1.Attempt, facts NodeFacts) *judgement {
	j.checkData(a)
	hw := newHardware(a.Devices)
	for i := range f.metrics {
		f.judgeMetric(j, &f.metrics[i], a, hw, facts)
	}
	return j
}

// checkData fails wrong data, whatever the speed was. The checks of a program that was stopped say nothing.
func (j *judgement) checkData(a *v1alpha1.Attempt) {
	interrupted := v1alpha1.Interrupted(a.Checks)
	for _, c := range a.Checks {
		if interrupted || !v1alpha1.IsDataCheck(c.Name) {
			continue
		}
		if c.OK {
			j.held = append(j.held, Term{Metric: c.Name, Rule: RuleDataCheck})
		} else {
			j.object(c.Name, "", RuleDataCheck, v1alpha1.VerdictFail, message.CheckFailed(c.Name, c.Message), 0)
		}
	}
	if a.Verdict == v1alpha1.VerdictFail && len(j.findings) == 0 {
		j.object("", "", RuleDataCheck, v1alpha1.VerdictFail, message.ProgramFailed(a.Message), 0)
	}
	if len(j.findings) == 0 {
		j.held = append(j.held, Term{Rule: RuleDataCheck})
	}
}

func (j *judgement) object(metric, at, rule string, v v1alpha1.Verdict, text string, shortfall float64) {
	j.findings = append(j.findings, scored{shortfall: shortfall, Finding: v1alpha1.Finding{
		Metric: metric, At: at, Rule: rule, Verdict: v, Message: quantity.Clip(text, message.Longest),
	}})
}

// conclude orders the findings and gives the attempt's verdict.
func (j *judgement) conclude(a *v1alpha1.Attempt) AttemptJudgement {
	j.dropExplained()
	slices.SortStableFunc(j.findings, func(x, y scored) int {
		return cmp.Or(cmp.Compare(rank(x.Finding), rank(y.Finding)), cmp.Compare(y.shortfall, x.shortfall))
	})
	out := AttemptJudgement{Headline: j.headline, Curves: j.curves, Terms: j.terms(), attempt: a}
	count := map[v1alpha1.Verdict]int{}
	for i, f := range j.findings {
		count[f.Verdict]++
		if i < maxFindings {
			out.Findings = append(out.Findings, f.Finding)
		}
	}
	switch {
	case count[v1alpha1.VerdictFail] > 0:
		out.Verdict, out.Reason = v1alpha1.VerdictFail, v1alpha1.ReasonBelowExpectation
		if out.Findings[0].Rule == RuleDataCheck {
			out.Reason = v1alpha1.ReasonOfCheck(out.Findings[0].Metric)
		}
		out.Message = message.WithMore(out.Findings[0].Message, count[v1alpha1.VerdictFail]-1)
	case count[v1alpha1.VerdictMissing] > 0:
		out.Verdict, out.Reason = v1alpha1.VerdictMissing, v1alpha1.ReasonMeasurementMissing
		out.Message = message.WithMore(out.Findings[0].Message, count[v1alpha1.VerdictMissing]-1)
	case j.waiting:
		out.Verdict, out.Reason, out.FleetPending = v1alpha1.VerdictPending, v1alpha1.ReasonMeasured, true
		out.Message = message.AwaitsFleet(j.reading)
	case len(j.unjudged) > 0:
		out.Verdict, out.Reason = v1alpha1.VerdictInconclusive, v1alpha1.ReasonNotJudged
		out.Message = message.WithMore(j.unjudged[0], len(j.unjudged)-1)
	default:
		out.Verdict, out.Reason = v1alpha1.VerdictPass, v1alpha1.ReasonPassed
		out.Message = message.MetExpectations(j.reading, count[v1alpha1.VerdictSkipped])
	}
	return out
}

// rank orders findings: wrong data, other fails, missing measurements, warnings, rules without enough data.
func rank(f v1alpha1.Finding) int {
	switch {
	case f.Rule == RuleDataCheck:
		return 0
	case f.Verdict == v1alpha1.VerdictFail:
		return 1
	case f.Verdict == v1alpha1.VerdictMissing:
		return 2
	case f.Verdict == v1alpha1.VerdictWarning:
		return 3
	default:
		return 4
	}
}

// EffectiveMetrics are a benchmark's metrics with the expectations that a run overrides. The error is meant for the
// run's condition: it says which metric or number is wrong.
func EffectiveMetrics(b *v1alpha1.Benchmark, overrides []v1alpha1.ExpectationOverride) ([]v1alpha1.Metric, error) {
	metrics := make([]v1alpha1.Metric, len(b.Spec.Metrics))
	for i := range metrics {
		b.Spec.Metrics[i].DeepCopyInto(&metrics[i])
	}
	for i := range overrides {
		o := &overrides[i]
		at := slices.IndexFunc(metrics, func(m v1alpha1.Metric) bool { return m.Name == o.Metric })
		if at < 0 {
			return nil, errors.New(message.UnknownMetric(b.Name, o.Metric))
		}
		if o.Expectation.MinEfficiency != "" && metrics[at].Scaling == "" {
			return nil, errors.New(message.MetricWithoutScaling(b.Name, o.Metric))
		}
		if metrics[at].Peak == "" {
			if field := shareOfPeak(&o.Expectation); field != "" {
				return nil, errors.New(message.MetricWithoutPeak(b.Name, o.Metric, field))
			}
		}
		metrics[at].Expectation, metrics[at].DependsOn = o.Expectation.DeepCopy(), ""
	}
	for i := range metrics {
		if why := unreadable(&metrics[i]); why != "" {
			return nil, errors.New(message.MetricUnreadable(b.Name, metrics[i].Name, why))
		}
	}
	return metrics, nil
}

// shareOfPeak is the first field of an expectation that takes the metric to have a peak; "" for none.
func shareOfPeak(e *v1alpha1.Expectation) string {
	switch {
	case e.MinFractionOfPeak != "":
		return "minFractionOfPeak"
	case e.MinFractionOfReached != "":
		return "minFractionOfReached"
	}
	return ""
}

// unreadable says which number of a metric is none: of its noise or of its expectation; "" where all are.
func unreadable(m *v1alpha1.Metric) string {
	limits := fieldsOf("noise.", &m.Noise)
	if m.Expectation != nil {
		limits = append(fieldsOf("", m.Expectation), limits...)
	}
	for _, l := range limits {
		if l.text == "" {
			continue
		}
		if _, ok := quantity.ParseDecimal(l.text); !ok {
			return message.NotANumber(l.field, l.text)
		}
	}
	return ""
}

// written is a number as the API has it, under its name there.
type written struct{ field, text string }

// fieldsOf a struct of numbers are all of its fields, so that none that is added can be forgotten.
func fieldsOf(prefix string, numbers any) []written {
	var limits []written
	for field, value := range reflect.ValueOf(numbers).Elem().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		limits = append(limits, written{prefix + name, value.String()})
	}
	return limits
}
