package verdict

import (
	"cmp"
	"fmt"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/fact"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// Decide judges a benchmark by its attempts, first to last. The first one can only raise suspicion: what it finds slow is measured
// again, at most confirmations times, until the evidence of all of them decides (weigh). Wrong data counts even if it went away, for a
// data error that comes and goes is still one. What could not be measured again is an error, never a fail. Attempts that were disturbed
// do not count, whatever they measured.
func (b *Judge) Decide(attempts []v1alpha1.Attempt, facts rule.Given, confirmations int32) Decision {
	attempts, crowded := b.uncrowded(attempts, facts, firstBy(confirmations))
	calm, disturbed := attempt.Apart(attempts)
	d := b.beside(disturbed, calm, b.decideCalm(calm, facts, confirmations), facts, confirmations)
	d.Crowded = crowded
	var found fact.Sheet
	if last := attempt.LastMeasured(calm); last != nil {
		found = b.facts.Judge(last, facts.Node, facts.Convicted)
	}
	return d.withFacts(found)
}

// uncrowded takes attempts for disturbed that are slow where others were at work on the host: it may be their doing. Nobody makes a node faster, so
// that what is good counts; so does what lost more than they took. last: the last one is taken for disturbed.
func (b *Judge) uncrowded(attempts []v1alpha1.Attempt, facts rule.Given, by bounds.Certainty) (judged []v1alpha1.Attempt, last bool) {
	if !b.quiet && len(b.need) == 0 {
		return attempts, false
	}
	judged = list.Map(attempts, func(a v1alpha1.Attempt) v1alpha1.Attempt {
		last = false
		if _, crowded := attempt.Crowded(&a, 0); !crowded {
			return a
		}
		o := b.rules.Outcome(&a, facts, by)
		slowed := list.Where(o.Findings, b.slows)
		if o.Reason != v1alpha1.ReasonBelowExpectation || len(slowed) == 0 {
			return a
		}
		lost := 0.0
		for f := range list.Each(slowed) {
			lost = max(lost, term.Shortfall(f.Value, cmp.Or(f.Typical, f.Bound))) // of what is typical, or of the bound where nothing is
		}
		a, last = attempt.Crowded(&a, lost)
		return a
	})
	return judged, last
}

// slows says whether other work on the host may be why something is slow.
func (b *Judge) slows(f v1alpha1.Finding) bool {
	return f.Verdict == v1alpha1.VerdictFail && (b.quiet || b.need[f.Metric])
}

// firstBy is how sure a bound has to be by which one attempt is judged. Without confirmations nothing would follow from a suspicion.
func firstBy(confirmations int32) bounds.Certainty {
	if confirmations <= 0 {
		return bounds.MeanOf(1)
	}
	return bounds.Suspicion
}

func (b *Judge) decideCalm(attempts []v1alpha1.Attempt, facts rule.Given, confirmations int32) Decision {
	if len(attempts) == 0 {
		return Decision{Verdict: v1alpha1.VerdictPending, Message: rule.NotMeasuredYet, NeedsAttempt: true}
	}
	most := 1 + max(0, int(confirmations))
	facts.Measurements, facts.Weighed = most, len(attempts) > 1
	by := firstBy(confirmations)
	t := tally{most: most}
	for i := range attempts {
		t.add(b.rules.Outcome(&attempts[i], facts, by))
	}
	switch {
	case t.running != nil:
		return wait(t.running, t.running.Message)
	case len(t.wrong) > 0:
		return t.decideWrong()
	case len(t.fails) > 0:
		return b.weigh(t.measured, facts, by).decide(&t)
	case t.fleetPending != nil:
		return wait(t.fleetPending, t.fleetPending.Message)
	case t.clean != nil:
		return alone(t.clean)
	}
	return alone(t.last)
}

func wait(j *rule.Outcome, text string) Decision {
	d := alone(j)
	d.Verdict, d.Message = v1alpha1.VerdictPending, quantity.Clip(text, message.Longest)
	return d
}

// beside disturbed attempts, a decision by the others that asks for another attempt says so, or the benchmark is given up: no proof, no
// fail, but for data that was wrong.
func (b *Judge) beside(disturbed, calm []v1alpha1.Attempt, d Decision, facts rule.Given, confirmations int32) Decision {
	n := len(disturbed)
	if n == 0 || !d.NeedsAttempt {
		return d
	}
	last := disturbed[n-1]
	switch {
	case n >= attempt.MostDisturbed:
		d = b.decideCalm(append(calm, last), facts, confirmations)
		if len(calm) == 0 {
			d.Message = staysDisturbed(last.Reason, last.Message, n)
		}
	case len(calm) == 0:
		d.Suspicion, d.Message = last.Message,
			quantity.Clip(fmt.Sprintf("measured again (attempt %d of at most %d): %s", n+1, attempt.MostDisturbed, last.Message), message.Longest)
	}
	return d
}
