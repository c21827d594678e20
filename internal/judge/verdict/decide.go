package verdict

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// Decision is the verdict of one benchmark on one node, over all of its attempts.
type Decision struct {
	// Verdict is Pending while more is needed.
	Verdict  v1alpha1.Verdict
	Reason   string
	Message  string
	Headline []v1alpha1.HeadlineValue
	Curves   []v1alpha1.Curve
	Findings []v1alpha1.Finding
	// NeedsAttempt: another attempt has to run before there can be a verdict. It is false while one still runs.
	NeedsAttempt bool
	// Suspicion is what another attempt is needed for.
	Suspicion string
	// Terms of the attempt that decided, or of the mean of all of them.
	Terms Terms
	// Cleared are the parts that were suspect in one attempt and not in others: they come and go.
	Cleared []v1alpha1.PartReference
}

// Alone is the decision where one judgement is all the evidence there is.
func (j AttemptJudgement) Alone() Decision {
	return Decision{Verdict: j.Verdict, Reason: j.Reason, Message: j.Message, Headline: j.Headline, Curves: j.Curves,
		Findings: j.Findings, Terms: j.Terms}
}

// Decide judges a benchmark by its attempts, first to last. The first one can only raise suspicion: what it finds slow is measured
// again, at most confirmations times, until the evidence of all of them decides (weigh). Wrong data counts even if it went away, for a
// data error that comes and goes is still one. What could not be measured again is an error, never a fail. Attempts that were disturbed
// do not count, whatever they measured.
func (f *Fleet) Decide(attempts []v1alpha1.Attempt, facts NodeFacts, confirmations int32) Decision {
	calm, disturbed := apart(attempts)
	d := f.beside(disturbed, calm, f.decideCalm(calm, facts, confirmations), facts, confirmations)
	return d.withFacts(f.judgeFacts(lastMeasured(calm), facts))
}

func (f *Fleet) decideCalm(attempts []v1alpha1.Attempt, facts NodeFacts, confirmations int32) Decision {
	if len(attempts) == 0 {
		return Decision{Verdict: v1alpha1.VerdictPending, Message: message.NotMeasuredYet(), NeedsAttempt: true}
	}
	most := 1 + max(0, int(confirmations))
	by := Suspicion
	if most == 1 { // nothing would follow from a suspicion
		by = MeanOf(1)
	}
	t := tally{most: most}
	for i := range attempts {
		t.add(f.Judge(&attempts[i], facts, by))
	}
	switch {
	case t.running != nil:
		return wait(t.running, t.running.Message)
	case len(t.wrong) > 0:
		return t.decideWrong()
	case len(t.fails) > 0:
		return f.weigh(t.measured, facts, by).decide(&t)
	case t.fleetPending != nil:
		return wait(t.fleetPending, t.fleetPending.Message)
	case t.clean != nil:
		return t.clean.Alone()
	}
	return t.last.Alone()
}

// tally sorts attempts by what they found.
type tally struct {
	most         int // measurements at the most
	fails, wrong []*AttemptJudgement
	// measured attempts brought numbers that were judged; those with wrong data among them.
	measured []*v1alpha1.Attempt
	// running, fleetPending, clean and last are the last of their kind; clean: no rule objected.
	running, fleetPending, clean, last *AttemptJudgement
}

func (t *tally) add(judged AttemptJudgement) {
	j := &judged
	t.last = j
	if isMeasured(j) {
		t.measured = append(t.measured, j.attempt)
	}
	switch {
	case j.FleetPending:
		t.fleetPending = j
	case j.Verdict == v1alpha1.VerdictPending:
		t.running = j
	case j.Verdict == v1alpha1.VerdictPass, j.Reason == v1alpha1.ReasonNotJudged:
		t.clean = j
	case j.Verdict == v1alpha1.VerdictFail:
		t.fails = append(t.fails, j)
		if j.Reason == v1alpha1.ReasonWrongData || j.Reason == v1alpha1.ReasonDevicesUnusable {
			t.wrong = append(t.wrong, j)
		}
	}
}

// isMeasured says whether an attempt brought numbers that were judged.
func isMeasured(j *AttemptJudgement) bool {
	return j.Verdict == v1alpha1.VerdictPass || j.Verdict == v1alpha1.VerdictFail || j.Reason == v1alpha1.ReasonNotJudged || j.FleetPending
}

// decideWrong: no re-run could clear wrong data. One tells whether it was wrong once or always.
func (t *tally) decideWrong() Decision {
	if len(t.measured) >= min(2, t.most) || !isMeasured(t.last) {
		d := t.wrong[len(t.wrong)-1].Alone()
		if d.Reason == v1alpha1.ReasonWrongData {
			d.Message = message.WrongDataIn(d.Message, len(t.wrong), len(t.measured))
		}
		for _, j := range t.fails {
			for _, b := range j.Terms.Broken {
				d.Terms.doubt(b.Metric, b.Rule)
			}
		}
		return d
	}
	return t.another(t.last.Message, message.WrongDataAgain(t.last.Message))
}

// another attempt is needed. What is known so far is shown, so that nobody has to wait to see it.
func (t *tally) another(suspicion, text string) Decision {
	return Decision{Verdict: v1alpha1.VerdictPending, NeedsAttempt: true, Suspicion: suspicion, Headline: t.last.Headline,
		Findings: t.last.Findings, Message: text}
}

func wait(j *AttemptJudgement, text string) Decision {
	d := j.Alone()
	d.Verdict, d.Message = v1alpha1.VerdictPending, quantity.Clip(text, message.Longest)
	return d
}

// unconfirmed: it is suspect, but no re-run could tell whether it is slow. Without proof nothing fails.
func (t *tally) unconfirmed() Decision {
	suspect := t.fails[0]
	d := suspect.Alone()
	d.Verdict, d.Reason = v1alpha1.VerdictError, t.last.Reason
	if t.last.Verdict == v1alpha1.VerdictMissing {
		d.Verdict = v1alpha1.VerdictMissing
	}
	d.Message = message.CouldNotConfirm(suspect.Message, t.last.Reason, t.last.Message)
	return d
}
