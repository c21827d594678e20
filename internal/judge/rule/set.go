package rule

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// Outcome of one attempt, or of the mean of several, by all rules: data checks, missing measurements, then each metric part by part.
func (r *Set) Outcome(a *v1alpha1.Attempt, facts Given, e bounds.Certainty) Outcome {
	return outcome(a, func() *Sheet { return r.Judge(a, facts, e) })
}

// Standing is the outcome of one attempt of several, with how every part stands.
func (r *Set) Standing(a *v1alpha1.Attempt, facts Given, e bounds.Certainty) Outcome {
	return outcome(a, func() *Sheet { return r.Standings(a, facts, e) })
}

func outcome(a *v1alpha1.Attempt, judge func() *Sheet) Outcome {
	if a == nil {
		return Outcome{Verdict: v1alpha1.VerdictPending, Message: NotMeasuredYet}
	}
	if a.Verdict != v1alpha1.VerdictPass && a.Verdict != v1alpha1.VerdictFail {
		return Outcome{Verdict: a.Verdict, Reason: a.Reason, Message: quantity.Clip(a.Message, message.Longest), Attempt: a}
	}
	return judge().Conclude(a)
}

// Judge an attempt that was measured, by all rules.
func (r *Set) Judge(a *v1alpha1.Attempt, facts Given, e bounds.Certainty) *Sheet {
	return r.judgeBy(&Sheet{certainty: e, parts: map[[2]string]int32{}}, a, facts)
}

// Standings are a sheet that also says how every part stands.
func (r *Set) Standings(a *v1alpha1.Attempt, facts Given, e bounds.Certainty) *Sheet {
	return r.judgeBy(&Sheet{certainty: e, parts: map[[2]string]int32{}, Standings: map[PartRule]Standing{}}, a, facts)
}

func (r *Set) judgeBy(j *Sheet, a *v1alpha1.Attempt, facts Given) *Sheet {
	j.checkData(a)
	hw := part.HardwareOf(a.Devices)
	for i := range r.metrics {
		r.judgeMetric(j, &r.metrics[i], a, hw, facts)
	}
	return j
}
