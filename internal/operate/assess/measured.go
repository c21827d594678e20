package assess

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/operate/tournament"
)

// fleet holds the first measured attempt of every node. It is complete when no node can add to it any more; a run that is suspended
// is not over, so that its nodes may still.
func (s *Judged) fleet(i int) *verdict.Judge {
	t := &s.tasks[i]
	var first []*fleet.Digest
	complete := true
	for _, n := range s.nodes {
		attempts := n.attempts(t.Name())
		if d := n.digests[i]; d != nil {
			first = append(first, d)
		} else if attempt.AwaitsMeasurement(attempts) && !n.lacks[i].never() && !s.overdue() {
			_, skipped := s.closed(n.collectedNode, i)
			complete = complete && skipped && !s.run.Spec.Suspend
		}
	}
	return s.memory.fleet(t, first, s.known(i), s.uncounted(t), complete)
}

// digest the node's first measured attempts.
func (s *Collected) digest(n *collectedNode) []*fleet.Digest {
	digests := make([]*fleet.Digest, len(s.tasks))
	for i := range s.tasks {
		if !s.tasks[i].IsGroup() {
			digests[i] = s.digestOf(n, i)
		}
	}
	return digests
}

// digestOf the node's first measured attempt by a task; nil: there is none.
func (s *Collected) digestOf(n *collectedNode, i int) *fleet.Digest {
	t, m := &s.tasks[i], n.memory.task(i)
	attempts := n.attempts(t.Name())
	alike := attempt.Alike(attempts)
	first := slices.IndexFunc(alike, measured)
	if first < 0 {
		return nil
	}
	at := slices.IndexFunc(attempts, func(a v1alpha1.Attempt) bool { return a.Number == alike[first].Number })
	if !n.changed && m.digest != nil && m.digested == at {
		return m.digest
	}
	d := digest(n.name, t.Metrics, &n.measuredBy(t.Name()).Attempts[at], n.host())
	if !n.changed {
		m.digest, m.digested = d, at
	}
	return d
}

func digest(node string, metrics []v1alpha1.Metric, a *v1alpha1.Attempt, host string) *fleet.Digest {
	d := fleet.DigestAttempt(metrics, a).On(host)
	d.Node = node
	return &d
}

// decideMeasured judges what was measured, or remembers how it was judged. Of a node that has its verdict, what became known of its past
// since does not matter.
func (s *Judged) decideMeasured(n *judgedNode, i int) verdict.Decision {
	m, row := n.memory.task(i), n.benchmark(s.tasks[i].Name())
	if s.isDecided(n, i) {
		n.changes[i] = m.change
		return m.decided(row)
	}
	if s.lacksPast(n.observedNode, i) {
		return verdict.Decision{Verdict: v1alpha1.VerdictPending} // until it is given
	}
	d, change := s.judgeMeasured(n.collectedNode, i, s.fleets)
	n.changes[i] = change
	if !n.changed {
		d.Terms = term.Terms{} // which are worked out again for the few nodes that a pass acts on
		m.decision, m.change, m.by = &d, change, n.memory.judgedBy(s.fleets[i], n.validation)
	}
	return d
}

// isDecided: it is remembered how this was judged, and nothing has changed since.
func (s *Judged) isDecided(n *judgedNode, i int) bool {
	m, row := n.memory.task(i), n.benchmark(s.tasks[i].Name())
	if n.collectedNode.changed || m.by.fleet == nil {
		return false
	}
	stands := n.stored.Verdict != v1alpha1.VerdictPending && m.decided(row).Verdict == row.Verdict
	return m.by.still(n.memory.judgedBy(s.fleets[i], n.validation), stands)
}

// judgeMeasured by a task: a function of the node's attempts, of what is known of it, and of the fleets.
func (s *Observed) judgeMeasured(n *collectedNode, i int, fleets []*verdict.Judge) (verdict.Decision, *changed) {
	t := &s.tasks[i]
	row := n.measuredBy(t.Name())
	attempts, past := attempt.Alike(row.Attempts), s.pastOf(n.observedNode, i)
	change := changedIn(n.observedNode, t, attempts, past)
	facts := rule.Given{Node: n.name, Peaks: n.peaks, Past: past, Convicted: convictedBy(t, n.observedNode)}
	d := tournament.WithDifferences(n.name, fleets[i].Decide(attempts, facts, *s.run.Spec.Confirmations), fleets)
	d.Curves = curved(d.Curves) // as it is stored, or it would be remembered beside its row
	judged := !n.changed && n.stored.Verdict != v1alpha1.VerdictPending
	if judged && stands[row.Verdict] && d.Verdict != row.Verdict && (s.knownAnew || byPast(row.Findings, d.Findings)) {
		return s.asRecorded(n.observedNode, row.Name, told(row)), change
	}
	return d, change
}

// byPast: two lists of findings differ in what the past of the node says, and in nothing else.
func byPast(a, b []v1alpha1.Finding) bool {
	others := func(findings []v1alpha1.Finding) []v1alpha1.Finding {
		return slices.DeleteFunc(slices.Clone(findings), func(f v1alpha1.Finding) bool { return f.Rule == term.Regression })
	}
	return !sameRules(a, b) && sameRules(others(a), others(b))
}

// stands are the verdicts that nothing but other bounds could change.
var stands = map[v1alpha1.Verdict]bool{v1alpha1.VerdictPass: true, v1alpha1.VerdictFail: true, v1alpha1.VerdictInconclusive: true}

// termsOf a decision that is remembered: they are worked out again. Where what is known of the node has changed since, so that it would be
// judged in another way now, they are those of the verdict that it has: else its conviction would go, and its verdict stay.
func (s *Judged) termsOf(n *judgedNode, i int) term.Terms {
	d := n.decisions[i]
	again, _ := s.judgeMeasured(n.collectedNode, i, s.fleets)
	if stands[d.Verdict] && (again.Verdict != d.Verdict || !sameRules(again.Findings, d.Findings)) {
		again = s.asRecorded(n.observedNode, s.tasks[i].Name(), d)
	}
	return again.Terms
}

// sameRules are broken by two lists of findings.
func sameRules(a, b []v1alpha1.Finding) bool {
	return slices.EqualFunc(term.BrokenBy(a), term.BrokenBy(b), func(x, y term.Term) bool { return x.Metric == y.Metric && x.Rule == y.Rule })
}

// asRecorded gives a decision its terms. Which rules were held and broken is known from its findings, and from what was recorded of the
// node, if it was.
func (s *Observed) asRecorded(n *observedNode, benchmark string, d verdict.Decision) verdict.Decision {
	d.Terms = term.Terms{Broken: term.BrokenBy(d.Findings)}
	if n.validation == nil {
		return d
	}
	if known := n.history.Benchmark(benchmark); known != nil {
		for i := range known.Held {
			if known.Held[i].RunUID != s.run.UID {
				continue
			}
			for _, h := range known.Held[i].Rules {
				d.Terms.Held = append(d.Terms.Held, term.Term{Metric: h.Metric, Rule: h.Rule, RuleNumbers: v1alpha1.RuleNumbers{Limit: h.Limit, Value: h.Value, Parts: h.Parts}})
			}
		}
	}
	for i := range d.Terms.Broken {
		t := &d.Terms.Broken[i]
		for _, c := range n.validation.Convictions {
			if c.Run.UID == s.run.UID && c.Benchmark == benchmark && c.Metric == t.Metric && c.Rule == t.Rule {
				t.RuleNumbers = v1alpha1.RuleNumbers{Value: c.Value, Typical: c.Typical, Bound: c.Bound, Limit: c.Limit, Unit: c.Unit, Parts: c.Parts}
				t.At, t.Expected = c.At, c.Expected
			}
		}
	}
	return d
}
