package rule

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
)

// terms of an attempt. Its findings are in order already: the worst part of a broken rule comes first.
func (j *Sheet) terms() term.Terms {
	t := term.Terms{Held: j.held}
	for f := range list.Each(j.Findings) {
		if f.Verdict == v1alpha1.VerdictFail {
			same := func(b *term.Term) bool { return b.Metric == f.Metric && b.Rule == f.Rule }
			b := list.Among(&t.Broken, same, term.Term{Metric: f.Metric, Rule: f.Rule, At: f.At, RuleNumbers: f.RuleNumbers})
			b.Ats = append(b.Ats, f.At)
		}
	}
	return t
}

// Outcome is what the rules found about one attempt.
type Outcome struct {
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
	Terms term.Terms

	Attempt *v1alpha1.Attempt
	// Sheet that it follows from; nil: nothing was measured.
	Sheet *Sheet
}

// number the findings about a metric that are about a value.
func (mj *metricSheet) number(findings []Scored) {
	for f := range list.Each(findings) {
		if f.Judged.By.State != bounds.Bounded {
			continue
		}
		if by := list.First(mj.rules, func(r *judgedRule) bool { return r.name == f.Rule }); by != nil {
			f.Judged.Parts = by.worst.Parts
		}
		f.RuleNumbers = f.Judged.Numbers()
	}
}

// Conclude orders the findings and gives the attempt's verdict. What is found of pairs whose GPUs are found slow is left out.
func (j *Sheet) Conclude(a *v1alpha1.Attempt) Outcome {
	j.Findings = slices.DeleteFunc(j.Findings, func(f Scored) bool { return f.Verdict == v1alpha1.VerdictFail && j.Explains(f.Finding, nil) })
	slices.SortStableFunc(j.Findings, func(x, y Scored) int {
		return cmp.Or(cmp.Compare(Rank(x.Finding), Rank(y.Finding)), cmp.Compare(y.Shortfall, x.Shortfall))
	})
	out := Outcome{Headline: j.Headline, Curves: j.curves, Terms: j.terms(), Attempt: a, Sheet: j}
	count := map[v1alpha1.Verdict]int{}
	for _, f := range j.Findings {
		count[f.Verdict]++
	}
	out.Findings = list.Map(j.Findings[:min(len(j.Findings), MaxFindings)], func(f Scored) v1alpha1.Finding { return f.Finding })
	switch {
	case count[v1alpha1.VerdictFail] > 0:
		out.Verdict, out.Reason = v1alpha1.VerdictFail, v1alpha1.ReasonBelowExpectation
		if out.Findings[0].Rule == term.DataCheck {
			out.Reason = v1alpha1.ReasonOfCheck(out.Findings[0].Metric)
		}
		out.Message = message.WithMore(out.Findings[0].Message, count[v1alpha1.VerdictFail]-1)
	case count[v1alpha1.VerdictMissing] > 0:
		out.Verdict, out.Reason = v1alpha1.VerdictMissing, v1alpha1.ReasonMeasurementMissing
		out.Message = message.WithMore(out.Findings[0].Message, count[v1alpha1.VerdictMissing]-1)
	case j.waiting:
		out.Verdict, out.Reason, out.FleetPending = v1alpha1.VerdictPending, v1alpha1.ReasonMeasured, true
		out.Message = AwaitsFleet(j.reading)
	case len(j.unjudged) > 0:
		out.Verdict, out.Reason = v1alpha1.VerdictInconclusive, v1alpha1.ReasonNotJudged
		out.Message = message.WithMore(j.unjudged[0], len(j.unjudged)-1)
	default:
		out.Verdict, out.Reason = v1alpha1.VerdictPass, v1alpha1.ReasonPassed
		out.Message = MetExpectations(j.reading, count[v1alpha1.VerdictSkipped])
	}
	return out
}

// Rank orders findings: wrong data, other fails, missing measurements, warnings, rules without enough data.
func Rank(f v1alpha1.Finding) int {
	if f.Rule == term.DataCheck {
		return 0
	}
	return 1 + slices.Index([]v1alpha1.Verdict{v1alpha1.VerdictFail, v1alpha1.VerdictMissing, v1alpha1.VerdictWarning, f.Verdict}, f.Verdict)
}
