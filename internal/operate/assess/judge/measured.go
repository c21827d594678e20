package judge

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/fact"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/tournament"
)

// fleet holds the first measured attempt of every node. It is complete when no node can add to it any more; a run that is suspended
// is not over, so that its nodes may still. Once the run has had half of its time, what was measured by then says who is to be measured again, for which it
// may be too late when all have come: some are busy or hang until the deadline.
func (s *Judged) fleet(i int) *verdict.Judge {
	t := &s.Tasks[i]
	var first, early []*fleet.Digest
	half := s.HalfOver()
	byThen := func(a v1alpha1.Attempt) bool {
		return collect.Measured(a) && a.EndTime.Before(&metav1.Time{Time: half})
	}
	complete := true
	for _, n := range s.Nodes {
		attempts := n.Attempts(t.Name())
		if d := n.digests[i]; d != nil {
			first = append(first, d)
			if slices.ContainsFunc(attempts, byThen) {
				early = append(early, d)
			}
		} else if attempt.AwaitsMeasurement(attempts) && !n.Lacks[i].Never() && !s.Overdue() {
			_, skipped := s.Closed(n.CollectedNode, i)
			complete = complete && skipped && !s.Run.Spec.Suspend
		}
	}
	if complete {
		return s.Memory.Fleet(t, first, s.Known(i), s.uncounted(t), true)
	}
	if len(early) > 0 && s.Now.Before(half) {
		list.Sooner(&s.Recheck, half)
		early = nil
	}
	return s.Memory.Fleet(t, early, s.Known(i), nil, false)
}

// decideMeasured judges what was measured, or remembers how it was judged. Of a node that has its verdict, what became known of its past
// since does not matter.
func (s *Judged) decideMeasured(n *JudgedNode, i int) verdict.Decision {
	m, row := &n.Memory.Tasks[i], n.Benchmark(s.Tasks[i].Name())
	if s.isDecided(n, i) {
		n.changes[i] = m.Change
		return m.Decided(row)
	}
	if s.LacksPast(n.ObservedNode, i) {
		if row := s.storedRow(n.ObservedNode, i); row != nil && !n.Changed { // the fleet has just become another one: until the past is given, what is stored stands
			return tournament.Told(row)
		}
		return verdict.Decision{Verdict: v1alpha1.VerdictPending} // until it is given
	}
	d, change := s.judgeMeasured(n.CollectedNode, i)
	n.changes[i] = change
	if !n.Changed {
		d.Terms = term.Terms{} // which are worked out again for the few nodes that a pass acts on
		m.Decision, m.Change, m.By = &d, change, n.Memory.JudgedBy(s.fleets[i], n.Validation)
	}
	return d
}

// isDecided: it is remembered how this was judged, and nothing has changed since.
func (s *Judged) isDecided(n *JudgedNode, i int) bool {
	m, row := &n.Memory.Tasks[i], n.Benchmark(s.Tasks[i].Name())
	if n.CollectedNode.Changed || m.By.Fleet == nil {
		return false
	}
	stands := n.Stored.Verdict != v1alpha1.VerdictPending && m.Decided(row).Verdict == row.Verdict
	return m.By.Still(n.Memory.JudgedBy(s.fleets[i], n.Validation), stands)
}

// judgeMeasured by a task: a function of the node's attempts, of what is known of it, and of the fleets.
func (s *Judged) judgeMeasured(n *collect.CollectedNode, i int) (verdict.Decision, *observe.Changed) {
	t := &s.Tasks[i]
	row := n.MeasuredBy(t.Name())
	attempts, past := attempt.Alike(row.Attempts), s.PastOf(n.ObservedNode, i)
	change := changedIn(n.ObservedNode, t, attempts, past)
	facts := rule.Given{Node: n.Name, Peaks: n.Peaks, Past: past, Convicted: convictedBy(t, n.ObservedNode)}
	d := tournament.WithDifferences(n.Name, s.fleets[i].Decide(attempts, facts, *s.Run.Spec.Confirmations), s.fleets)
	d.Curves = curved(d.Curves) // as it is stored, or it would be remembered beside its row
	judged := !n.Changed && n.Stored.Verdict != v1alpha1.VerdictPending
	if judged && stands[row.Verdict] && d.Verdict != row.Verdict && (s.KnownAnew || byPast(row.Findings, d.Findings)) {
		return s.asRecorded(n.ObservedNode, row.Name, tournament.Told(row)), change
	}
	return d, change
}

// byPast: two lists of findings differ in what the past of the node says, and in nothing else.
func byPast(a, b []v1alpha1.Finding) bool {
	others := func(findings []v1alpha1.Finding) []v1alpha1.Finding {
		return list.Where(findings, func(f v1alpha1.Finding) bool { return f.Rule != term.Regression })
	}
	return !sameRules(a, b) && sameRules(others(a), others(b))
}

// stands are the verdicts that nothing but other bounds could change.
var stands = map[v1alpha1.Verdict]bool{v1alpha1.VerdictPass: true, v1alpha1.VerdictFail: true, v1alpha1.VerdictInconclusive: true}

// TermsOf a decision that is remembered: they are worked out again. Where what is known of the node has changed since, so that it would be
// judged in another way now, they are those of the verdict that it has: else its conviction would go, and its verdict stay.
func (s *Judged) TermsOf(n *JudgedNode, i int) term.Terms {
	d := n.Decisions[i]
	again, _ := s.judgeMeasured(n.CollectedNode, i)
	if stands[d.Verdict] && (again.Verdict != d.Verdict || !sameRules(again.Findings, d.Findings)) {
		again = s.asRecorded(n.ObservedNode, s.Tasks[i].Name(), d)
	}
	return again.Terms
}

// sameRules are broken by two lists of findings.
func sameRules(a, b []v1alpha1.Finding) bool {
	return slices.EqualFunc(term.BrokenBy(a), term.BrokenBy(b), func(x, y term.Term) bool { return x.Metric == y.Metric && x.Rule == y.Rule })
}

// asRecorded gives a decision its terms. Which rules were held and broken is known from its findings, and from what was recorded of the
// node, if it was.
func (s *Judged) asRecorded(n *observe.ObservedNode, benchmark string, d verdict.Decision) verdict.Decision {
	d.Terms = term.Terms{Broken: term.BrokenBy(d.Findings)}
	if n.Validation == nil {
		return d
	}
	if known := n.History.Benchmark(benchmark); known != nil {
		if held := list.First(known.Held, func(r *v1alpha1.HeldRules) bool { return r.RunUID == s.Run.UID }); held != nil {
			d.Terms.Held = list.Map(held.Rules, func(h v1alpha1.HeldRule) term.Term {
				return term.Term{Metric: h.Metric, Rule: h.Rule, RuleNumbers: v1alpha1.RuleNumbers{Limit: h.Limit, Value: h.Value, Parts: h.Parts}}
			})
		}
	}
	for t := range list.Each(d.Terms.Broken) {
		for _, c := range n.Validation.Convictions {
			if c.Run.UID == s.Run.UID && c.Benchmark == benchmark && c.Metric == t.Metric && c.Rule == t.Rule {
				t.RuleNumbers, t.At, t.Expected = c.RuleNumbers, c.At, c.Expected
			}
		}
	}
	return d
}

// convictedBy a task: the node's convictions that stand.
func convictedBy(t *observe.Task, n *observe.ObservedNode) []v1alpha1.Conviction {
	return list.Where(n.OfMachine().Convictions, func(c v1alpha1.Conviction) bool { return c.Benchmark == t.Name() })
}

// uncounted are the nodes that stand convicted by the task of a fact that most nodes have otherwise: among themselves they would be most.
// What this run is the first to convict of has its say still, for it is part of what convicted it.
func (s *Judged) uncounted(t *observe.Task) []fact.Of {
	var all []fact.Of
	for _, n := range s.Nodes {
		for _, c := range convictedBy(t, n.ObservedNode) {
			if c.Rule == term.FactUniform && (c.Again || c.Run.UID != s.Run.UID) {
				all = append(all, fact.Of{Node: n.Name, Fact: c.Metric})
			}
		}
	}
	return all
}
