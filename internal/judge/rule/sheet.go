package rule

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// MaxFindings is the bound of BenchmarkResult.findings.
const MaxFindings = 256

// Given is what is known of a node beside its measurements.
type Given struct {
	// Smaller sizes that were measured elsewhere, by metric: of a group, what some of its nodes reached.
	Smaller map[string][]attempt.PartValue
	// Node by its name, as its digest has it.
	Node string
	// Peaks of the node's hardware.
	Peaks peak.Peaks
	// Past of this benchmark on this node.
	Past past.Past
	// Measurements of a suspect at the most; 0: how little would be found is not asked.
	Measurements int
	// Weighed with other attempts: the sheet is to say how every part stands.
	Weighed bool
	// Convicted are the convictions by this benchmark that stand.
	Convicted []v1alpha1.Conviction
}

// Scored is a finding with what orders it.
type Scored struct {
	v1alpha1.Finding
	Shortfall float64
	// Judged is what breaks a bound, of a finding about that.
	Judged bounds.Value
}

// Sheet collects what is found about one attempt.
type Sheet struct {
	certainty bounds.Certainty
	Findings  []Scored
	Headline  []v1alpha1.HeadlineValue
	curves    []v1alpha1.Curve
	reading   string // of the first headline metric, for a pass
	waiting   bool
	unjudged  []string // headlines that no rule could judge
	held      []term.Term
	Standings map[PartRule]Standing // of all parts, where several attempts are weighed
	Explained map[PartRule][]string // parts that fall short because of others, which are found to
}

// Set of a benchmark, and what its nodes are compared with.
type Set struct {
	benchmark string
	metrics   []v1alpha1.Metric
	fleet     *fleet.Fleet          // nil: other nodes are still to come
	places    map[string]part.Place // every part's name, read once
}

// NewSet judges by these metrics. Without a fleet the rules that take one do not decide yet, because nodes that are still to come would
// move the median.
func NewSet(benchmark string, metrics []v1alpha1.Metric, fleet *fleet.Fleet) *Set {
	return &Set{benchmark: benchmark, metrics: metrics, fleet: fleet, places: map[string]part.Place{}}
}

// place of a part by its name.
func (r *Set) place(at string) part.Place {
	p, known := r.places[at]
	if !known {
		p = part.Read(at)
		r.places[at] = p
	}
	return p
}

// Outcome of one attempt, or of the mean of several, by all rules: data checks, missing measurements, then each metric part by part.
func (r *Set) Outcome(a *v1alpha1.Attempt, facts Given, e bounds.Certainty) Outcome {
	if !attempt.Measured(*a) {
		return Outcome{Verdict: a.Verdict, Reason: a.Reason, Message: quantity.Clip(a.Message, message.Longest), Attempt: a}
	}
	return r.Judge(a, facts, e).Conclude(a)
}

// Judge an attempt that was measured, by all rules.
func (r *Set) Judge(a *v1alpha1.Attempt, facts Given, e bounds.Certainty) *Sheet {
	j := &Sheet{certainty: e}
	if facts.Weighed {
		j.Standings = map[PartRule]Standing{}
	}
	j.checkData(a)
	hw := part.HardwareOf(a.Devices)
	for i := range r.metrics {
		r.judgeMetric(j, &r.metrics[i], a, hw, facts)
	}
	return j
}

// checkData fails wrong data, whatever the speed was. The checks of a program that was stopped say nothing.
func (j *Sheet) checkData(a *v1alpha1.Attempt) {
	interrupted := v1alpha1.Interrupted(a.Checks)
	for _, c := range a.Checks {
		if interrupted || !v1alpha1.IsDataCheck(c.Name) {
			continue
		}
		if c.OK {
			j.held = append(j.held, term.Term{Metric: c.Name, Rule: term.DataCheck})
		} else {
			failed := "wrong data: check " + c.Name + " failed"
			if c.Name == "devicesUsable" {
				failed = "the devices could not be used: check " + c.Name + " failed"
			}
			j.object(c.Name, "", term.DataCheck, v1alpha1.VerdictFail, message.Because(failed, c.Message))
		}
	}
	if a.Verdict == v1alpha1.VerdictFail && len(j.Findings) == 0 {
		j.object("", "", term.DataCheck, v1alpha1.VerdictFail, message.Because("wrong data: the program reported a failure", a.Message))
	}
	if len(j.Findings) == 0 {
		j.held = append(j.held, term.Term{Rule: term.DataCheck})
	}
}

func (j *Sheet) object(metric, at, rule string, v v1alpha1.Verdict, text string) {
	j.Findings = append(j.Findings, Scored{Finding: v1alpha1.Finding{
		Metric: metric, At: at, Rule: rule, Verdict: v, Message: quantity.Clip(text, message.Longest),
	}})
}

// objectTo a value that breaks a bound.
func (j *Sheet) objectTo(m *v1alpha1.Metric, at, rule, text string, broken bounds.Value) {
	j.object(m.Name, at, rule, v1alpha1.VerdictFail, text)
	broken.Unit = m.Unit
	f := &j.Findings[len(j.Findings)-1]
	f.Shortfall, f.Judged = broken.By.Shortfall(broken.Value), broken
}

// Explains says whether a finding is about a pair that slow GPUs explain: any, or those proved.
func (j *Sheet) Explains(f v1alpha1.Finding, proved map[PartRule]bool) bool {
	return slices.ContainsFunc(j.Explained[PartRule{f.Metric, f.At, f.Rule}], func(gpu string) bool {
		return proved == nil || proved[PartRule{f.Metric, gpu, f.Rule}]
	})
}

// PartRule is one rule at one part of a metric.
type PartRule struct{ Metric, At, Rule string }

// Standing of a part under a rule in one attempt.
type Standing struct {
	Grade
	bounds.Value
}

// Grade of a standing; the worse, the greater.
type Grade int

const (
	Unseen  Grade = iota // not measured, or the rule had no bound
	Fine                 // on the good side of the middle between what is expected and the bound
	unclear              // within the bound, but no better than that
	Suspect
)

// stand notes how a part stands under a rule, the worst where it is compared with several.
func (j *Sheet) stand(metric, at, rule string, ruled *bounds.Bound, value float64) {
	if j.Standings == nil {
		return
	}
	now := Standing{Fine, bounds.Value{By: *ruled, Value: value}}
	switch {
	case ruled.Shortfall(value) > 0:
		now.Grade = Suspect
	case ruled.InDoubt(value):
		now.Grade = unclear
	}
	j.noteWorst(PartRule{metric, at, rule}, now)
}

// noteWorst keeps the worse of what is known of a part and a standing: a program may report a part that a GPU's pairs also speak of.
func (j *Sheet) noteWorst(key PartRule, now Standing) {
	if j.Standings != nil && now.Grade > j.Standings[key].Grade {
		j.Standings[key] = now
	}
}

// Of is what the finding is about.
func (f *Scored) Of() PartRule { return PartRule{f.Metric, f.At, f.Rule} }
