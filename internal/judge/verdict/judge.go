// Package verdict decides, by all attempts of a benchmark on a node, whether the node is fit: what one attempt finds slow is measured again,
// until the evidence of all of them decides. It puts the verdicts of benchmarks together to that of a node.
// It is pure: the same measurements and catalogue give the same verdict, in whatever order the nodes come. It never
// reads a clock, a cluster or a file, and it never guesses: a rule without enough data says so and convicts nobody.
package verdict

import (
	"cmp"
	"fmt"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/fact"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// Judge judges what nodes measured by one benchmark.
type Judge struct {
	rules *rule.Set
	fleet *fleet.Fleet // nil: other nodes are still to come
	// early compares with the nodes that have come so far, and only says what is to be measured again; nil: nothing is before all have come.
	early *Judge
	facts *fact.Expected
	// quiet: other work on the host slows what is measured. Of some benchmarks it slows only the metrics that need a quiet host.
	quiet bool
	need  map[string]bool
}

// NewJudge compares nodes by their digests, as fleet.New does. With complete false the rules that compare nodes do not decide yet.
func NewJudge(benchmark string, metrics []v1alpha1.Metric, own, known []*fleet.Digest, complete bool) *Judge {
	b := &Judge{}
	if complete {
		b.fleet = fleet.New(metrics, own, known)
	}
	b.rules, b.facts, b.need = rule.NewSet(benchmark, metrics, b.fleet), fact.Expecting(nil, nil), map[string]bool{}
	for m := range list.Each(metrics) {
		if m.QuietHost {
			b.need[m.Name] = true
		}
	}
	return b
}

// OfGroups says that what is compared are groups of nodes.
func (b *Judge) OfGroups() *Judge {
	if b.fleet != nil {
		b.fleet.OfGroups = true
	}
	return b
}

// OnQuietHost says that other work on the host slows what is measured. It belongs to the making of a judge.
func (b *Judge) OnQuietHost(quiet bool) *Judge {
	b.quiet = quiet
	return b
}

// SuspectedBy says by whom nodes are to be measured again meanwhile, where others are still to come. It belongs to the making of a judge.
func (b *Judge) SuspectedBy(early *Judge) *Judge {
	b.early = early
	return b
}

// Expecting says what facts must be; the uncounted are nodes that have no say in one. It belongs to the making of a judge.
func (b *Judge) Expecting(facts []v1alpha1.FactExpectation, uncounted ...fact.Of) *Judge {
	b.facts = fact.Expecting(b.fleet, facts, uncounted...)
	return b
}

// Populations are the metrics that found two kinds of nodes under one name.
func (b *Judge) Populations() []fleet.Population { return b.fleet.Populations() }

// Differences are the facts of a node that most nodes of its kind have otherwise.
func (b *Judge) Differences(node string) []fact.Difference { return b.facts.Differences(node) }

// Alone is the decision by one attempt, or by what several come to together, that nothing will confirm.
func (b *Judge) Alone(a *v1alpha1.Attempt, given rule.Given) Decision {
	judged := b.rules.Outcome(a, given, bounds.MeanOf(1))
	return alone(&judged)
}

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
	d = d.withFacts(found)
	if b.early != nil && d.Verdict == v1alpha1.VerdictPending && !d.NeedsAttempt {
		if suspect := b.early.Decide(attempts, facts, confirmations); suspect.NeedsAttempt {
			return suspect
		}
	}
	return d
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
		return alone(t.running)
	case len(t.wrong) > 0:
		return t.decideWrong()
	case len(t.fails) > 0:
		return b.weigh(t.measured, facts, by).decide(&t)
	case t.fleetPending != nil:
		return alone(t.fleetPending)
	case t.clean != nil:
		return alone(t.clean)
	}
	return alone(t.last)
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
			advice := "free the node of other work"
			if last.Reason == v1alpha1.ReasonInterrupted {
				advice = "find out what stops programs on this node"
			}
			d.Message = message.Ending(last.Message, fmt.Sprintf("; none of %s counts: %s, then start another run", message.Several(n, "attempt"), advice))
		}
	case len(calm) == 0:
		d.Suspicion, d.Message = last.Message,
			quantity.Clip(fmt.Sprintf("measured again (attempt %d of at most %d): %s", n+1, attempt.MostDisturbed, last.Message), message.Longest)
	}
	return d
}
