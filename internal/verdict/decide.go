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
	Findings []v1alpha1.Finding
	// NeedsAttempt: another attempt has to run before there can be a verdict. It is false while one still runs.
	NeedsAttempt bool
	// Terms of the attempt that decided.
	Terms Terms
}

// Decide judges a benchmark by its attempts, first to last. A fail counts only once confirmations further attempts have
// failed as well; wrong data counts even if it went away, for a data error that comes and goes is still one. What could
// not be confirmed is an error, never a fail.
func Decide(js []AttemptJudgement, confirmations int32) Decision {
	if len(js) == 0 {
		return Decision{Verdict: v1alpha1.VerdictPending, Message: message.NotMeasuredYet(), NeedsAttempt: true}
	}
	t := newTally(js)
	switch {
	case t.running != nil:
		return wait(t.running, t.running.Message)
	case len(t.fails) > 0:
		return t.decideFailed(&js[len(js)-1], 1+max(0, int(confirmations)))
	case t.fleetPending != nil:
		return wait(t.fleetPending, t.fleetPending.Message)
	case len(t.passes) > 0:
		return decided(t.passes[len(t.passes)-1])
	default:
		return decided(&js[len(js)-1])
	}
}

// tally sorts attempts by what they found.
type tally struct {
	fails, wrong, passes  []*AttemptJudgement // wrong is part of fails
	running, fleetPending *AttemptJudgement
	measured              int
}

func newTally(js []AttemptJudgement) tally {
	var t tally
	for i := range js {
		j := &js[i]
		if isMeasured(j) {
			t.measured++
		}
		switch {
		case j.FleetPending:
			t.fleetPending = j
		case j.Verdict == v1alpha1.VerdictPending:
			t.running = j
		case j.Verdict == v1alpha1.VerdictPass:
			t.passes = append(t.passes, j)
		case j.Verdict == v1alpha1.VerdictFail:
			t.fails = append(t.fails, j)
			if j.Reason == v1alpha1.ReasonWrongData {
				t.wrong = append(t.wrong, j)
			}
		}
	}
	return t
}

// decideFailed decides where at least one attempt failed and needed measured ones are asked for.
func (t tally) decideFailed(last *AttemptJudgement, needed int) Decision {
	if len(t.wrong) > 0 {
		if t.measured >= needed || !isMeasured(last) { // no re-run could clear it
			return wrongDecision(t.wrong, t.measured)
		}
		return needsAttempt(last, needed-t.measured)
	}
	switch {
	case len(t.passes) > 0:
		return notConfirmed(t.fails[0], t.passes[0])
	case t.fleetPending != nil:
		return wait(t.fleetPending, message.ReRunAwaitsFleet(t.fails[0].Message, t.fleetPending.Message))
	case t.measured >= needed:
		return confirmed(t.fails)
	case !isMeasured(last):
		return unconfirmed(t.fails[0], last)
	default:
		return needsAttempt(last, needed-t.measured)
	}
}

// needsAttempt shows what is known so far, so that nobody has to wait for the confirmation to see it.
func needsAttempt(last *AttemptJudgement, more int) Decision {
	return Decision{
		Verdict: v1alpha1.VerdictPending, NeedsAttempt: true, Headline: last.Headline, Findings: last.Findings,
		Message: message.ToBeConfirmed(last.Message, more),
	}
}

// isMeasured says whether an attempt brought numbers that were judged.
func isMeasured(j *AttemptJudgement) bool {
	return j.Verdict == v1alpha1.VerdictPass || j.Verdict == v1alpha1.VerdictFail || j.FleetPending
}

func decided(j *AttemptJudgement) Decision {
	return Decision{Verdict: j.Verdict, Reason: j.Reason, Message: j.Message, Headline: j.Headline, Findings: j.Findings,
		Terms: j.Terms}
}

func wait(j *AttemptJudgement, text string) Decision {
	d := decided(j)
	d.Verdict, d.Message = v1alpha1.VerdictPending, quantity.Clip(text, message.Longest)
	return d
}

// confirmed: every attempt failed. The last one's numbers are shown.
func confirmed(fails []*AttemptJudgement) Decision {
	d := decided(fails[len(fails)-1])
	d.Message = message.Confirmed(d.Message, len(fails)-1)
	return d
}

func wrongDecision(wrong []*AttemptJudgement, measured int) Decision {
	d := decided(wrong[len(wrong)-1])
	d.Message = message.WrongDataIn(d.Message, len(wrong), measured)
	return d
}

// notConfirmed: a re-run passed.
func notConfirmed(fail, pass *AttemptJudgement) Decision {
	d := decided(pass)
	d.Reason, d.Message = v1alpha1.ReasonNotConfirmed, message.NotConfirmed(fail.Message, again(fail, pass))
	return d
}

// again is what the passing attempt measured where the failing one was worst.
func again(fail, pass *AttemptJudgement) string {
	if len(fail.Findings) == 0 || pass.attempt == nil {
		return pass.Message
	}
	worst := &fail.Findings[0]
	got := measurement(pass.attempt, worst.Metric)
	if got == nil {
		return pass.Message
	}
	for _, part := range got.Parts {
		if v, ok := quantity.ParseDecimal(part.Value); ok && part.At == worst.At {
			return message.Reading(part.At, nil, worst.Metric, v, quantity.NewScale(got.Unit, v))
		}
	}
	return pass.Message
}

// unconfirmed: it failed, but no re-run could tell whether it is so. No proof, no fail.
func unconfirmed(fail, last *AttemptJudgement) Decision {
	d := decided(fail)
	d.Verdict, d.Reason = v1alpha1.VerdictError, last.Reason
	if last.Verdict == v1alpha1.VerdictMissing {
		d.Verdict = v1alpha1.VerdictMissing
	}
	d.Message = message.CouldNotConfirm(fail.Message, last.Reason, last.Message)
	return d
}
