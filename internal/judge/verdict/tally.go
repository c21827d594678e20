package verdict

import (
	"fmt"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// tally sorts attempts by what they found.
type tally struct {
	most         int // measurements at the most
	fails, wrong []*rule.Outcome
	// measured attempts brought numbers that were judged; those with wrong data among them.
	measured []*rule.Outcome
	// running, fleetPending, clean and last are the last of their kind; clean: no rule objected.
	running, fleetPending, clean, last *rule.Outcome
}

func (t *tally) add(judged rule.Outcome) {
	j := &judged
	t.last = j
	if isMeasured(j) {
		t.measured = append(t.measured, j)
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
func isMeasured(j *rule.Outcome) bool {
	return j.Verdict == v1alpha1.VerdictPass || j.Verdict == v1alpha1.VerdictFail || j.Reason == v1alpha1.ReasonNotJudged || j.FleetPending
}

// decideWrong: no re-run could clear wrong data. One tells whether it was wrong once or always.
func (t *tally) decideWrong() Decision {
	if len(t.measured) >= min(2, t.most) || !isMeasured(t.last) {
		d := alone(t.wrong[len(t.wrong)-1])
		if d.Reason == v1alpha1.ReasonWrongData && len(t.measured) > 1 {
			d.Message = message.Ending(d.Message, fmt.Sprintf("; data was wrong in %d of %d attempts", len(t.wrong), len(t.measured)))
		}
		for _, j := range t.fails {
			for _, b := range j.Terms.Broken {
				d.Terms.Doubt(b.Metric, b.Rule)
			}
		}
		return d
	}
	return t.another(t.last.Message, quantity.Clip("measuring once more to see whether it is permanent: "+t.last.Message, message.Longest))
}

// another attempt is needed. What is known so far is shown, so that nobody has to wait to see it.
func (t *tally) another(suspicion, text string) Decision {
	return Decision{Verdict: v1alpha1.VerdictPending, NeedsAttempt: true, Suspicion: suspicion, Headline: t.last.Headline,
		Findings: t.last.Findings, Message: text}
}

// unconfirmed: it is suspect, but no re-run could tell whether it is slow. Without proof nothing fails.
func (t *tally) unconfirmed() Decision {
	suspect := t.fails[0]
	d := alone(suspect)
	d.Verdict, d.Reason = v1alpha1.VerdictError, t.last.Reason
	if t.last.Verdict == v1alpha1.VerdictMissing {
		d.Verdict = v1alpha1.VerdictMissing
	}
	d.Message = fmt.Sprintf("suspect, and not confirmed, because the re-run was not measured (%s): %s; first measurement: %s", t.last.Reason,
		quantity.Clip(t.last.Message, message.Longest/3), quantity.Clip(suspect.Message, message.Longest/3))
	return d
}
