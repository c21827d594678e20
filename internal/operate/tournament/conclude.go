package tournament

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
)

// concludePairs judges every node by what the tournament says of it, and names the links that are slow.
func (t *tournament) concludePairs(metrics []pairMetric) {
	for _, m := range metrics {
		t.reportMetric(m)
	}
	t.reportWrongData()
	levels := levelsOf(t.members)
	for _, e := range t.members {
		t.Shown[e.Name] = t.decidePairs(e, levels)
	}
	for _, g := range t.pairs {
		t.conclude(g, asMeasuredLast(g))
	}
}

// decidePairs is the verdict on one node by a tournament, and the attempt that its result keeps of it.
func (t *tournament) decidePairs(e *evidence, levels map[string]float64) Shown {
	attempt, ok := e.attempt()
	if !ok {
		return Shown{Decision: e.unmeasured()}
	}
	attempt.Machine = t.machineOfAll(e.Node, e.pairs)
	if e.LacksPast {
		return Shown{Decision: verdict.Decision{Verdict: v1alpha1.VerdictPending}}
	}
	d, unproved := e.judge(t.field, attempt, len(t.members) < fewNodes)
	suspicions := e.suspicions
	if unproved != "" {
		suspicions = append(suspicions, unproved)
	}
	d = e.unlessUnjudged(d, t.Metrics).Blame(e.fails)
	d.Terms = e.terms(d.Terms)
	if e.wrongData {
		d.Reason, d.Message = v1alpha1.ReasonWrongData, e.fails[0].Message
	}
	d.Findings = append(d.Findings, e.notJudged...)
	e.showMeasured(d.Headline, levels)
	if d.Verdict == v1alpha1.VerdictFail && len(e.fails) == 0 && len(t.members) < fewNodes {
		// Below an absolute bound, but with so few partners it may be theirs, or the link's, fault.
		suspicions = append(suspicions, slowWithOthers(message.Nodes(slices.DeleteFunc(t.names(), func(name string) bool { return name == e.Name })), d.Message))
		t.find("Suspects", firstMetric(d), t.names(), suspicions[0])
		d.Verdict = v1alpha1.VerdictError
	}
	return Shown{Decision: t.saying(e, d, suspicions), Attempts: []v1alpha1.Attempt{attempt}}
}

// saying is a decision with the words for it.
func (f *field) saying(e *evidence, d verdict.Decision, suspicions []string) verdict.Decision {
	switch {
	case d.Verdict == v1alpha1.VerdictFail:
		d = WithDifferences(e.Name, d, f.Fleets)
	case len(suspicions) > 0:
		d.Verdict, d.Reason, d.Message = v1alpha1.VerdictError, v1alpha1.ReasonSuspect, suspicions[0]
	case len(e.remarks) > 0:
		d.Message = "the node itself is fine; " + e.remarks[0]
	case d.Verdict == v1alpha1.VerdictPass:
		d.Message = rule.MetExpectations(e.reading(f.Metrics), list.Count(d.Findings, func(f v1alpha1.Finding) bool {
			return f.Verdict == v1alpha1.VerdictSkipped
		}))
		return d
	}
	if len(e.fails) == 0 || e.wrongData { // else the message names the pairs that it rests on
		d.Message = message.Ending(d.Message, message.With("", "; measured: ", e.reading(f.Metrics)))
	}
	return d
}
