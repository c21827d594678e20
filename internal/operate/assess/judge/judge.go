// Package judge says what follows from the attempts for each node and group: verdicts, what is to be measured again, and findings about many nodes.
package judge

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/quantity"
)

// Judge gives every node its verdict, as far as the collected attempts allow.
func Judge(c *collect.Collected) *Judged {
	s := compare(c)
	for _, n := range s.Nodes {
		s.RememberGroups(n.ObservedNode)
		for i := range s.Tasks {
			if !s.Tasks[i].IsGroup() {
				n.Decisions[i] = s.decide(n, i)
			}
		}
	}
	s.judgeGroups()
	final, stored := true, 0
	// Those first whose results could be stored so far: some that never can be must not keep the others waiting.
	toStore := slices.SortedStableFunc(slices.Values(s.Nodes), func(a, b *JudgedNode) int { return cmp.Compare(a.Memory.Unstored, b.Memory.Unstored) })
	for _, n := range toStore {
		if s.judgeNode(n, stored == collect.MostStored) {
			stored++
		}
		final = final && n.Final()
	}
	if final {
		for _, g := range s.Groups { // whatever would be measured now, no verdict waits for it
			g.Due = false
		}
		s.reportPopulations()
		s.reportShifts()
	}
	return s
}

// compare the nodes with each other: makes the fleets that they are judged by.
func compare(c *collect.Collected) *Judged {
	s := &Judged{Collected: c, Groups: make(map[string]*JudgedGroup, len(c.Groups)), fleets: make([]*verdict.Judge, len(c.Tasks)), Recheck: c.Recheck}
	for id, g := range c.Groups {
		s.Groups[id] = &JudgedGroup{CollectedGroup: g, Record: g.Record}
	}
	for _, n := range c.Nodes {
		s.Nodes = append(s.Nodes, &JudgedNode{CollectedNode: n, Record: n.Record, digests: s.Digest(n), Decisions: make([]verdict.Decision, len(s.Tasks)),
			changes: make([]*observe.Changed, len(s.Tasks)), Grouped: make([][]v1alpha1.Attempt, len(s.Tasks)), Remembered: !n.Changed})
	}
	for i := range s.Tasks {
		if !s.Tasks[i].IsGroup() {
			s.fleets[i] = s.fleet(i)
		}
	}
	return s
}

// Node of the run; nil where it is none.
func (s *Judged) Node(name string) *JudgedNode { return observe.Find(s.Nodes, name) }

// judgeNode puts the verdicts of all benchmarks together, and says whether that makes its result one to be written. full: no more are to be.
func (s *Judged) judgeNode(n *JudgedNode, full bool) (more bool) {
	rows := make([]v1alpha1.BenchmarkResult, len(s.Tasks))
	for i := range s.Tasks {
		d := n.Decisions[i]
		rows[i] = v1alpha1.BenchmarkResult{Name: s.Tasks[i].Name(), Verdict: d.Verdict, Reason: d.Reason, Message: d.Message,
			Headline: d.Headline, Curves: d.Curves, Findings: d.Findings, Attempts: n.Attempts(s.Tasks[i].Name())}
		if s.Tasks[i].IsGroup() {
			rows[i].Attempts = n.Grouped[i]
		}
	}
	if n.Result != nil { // what is stored is never dropped
		for _, b := range n.Result.Benchmarks {
			if s.TaskNamed(b.Name) < 0 {
				rows = append(rows, b)
			}
		}
	}
	n.Verdict, n.Reason, n.Message = verdict.Node(rows)
	if slices.ContainsFunc(rows, func(b v1alpha1.BenchmarkResult) bool { return b.Verdict == v1alpha1.VerdictPending }) {
		n.Verdict = v1alpha1.VerdictPending
	} else if n.Facts.Recreated {
		n.Verdict = v1alpha1.VerdictError
		n.Reason, n.Message, _ = n.Facts.Unavailable(s.Now)
	}
	return s.store(n, rows, full)
}

// store puts the verdicts into the node's result, which exists once something was measured.
func (s *Judged) store(n *JudgedNode, rows []v1alpha1.BenchmarkResult, full bool) (more bool) {
	if n.Result == nil && n.Final() && n.Node != nil && slices.ContainsFunc(n.Grouped, func(a []v1alpha1.Attempt) bool { return len(a) > 0 }) {
		n.Replace(n.NewResult(s.Run, string(n.Node.UID)))
	}
	if n.Result == nil {
		return false
	}
	if n.Final() && !n.Changed && n.Stored.Verdict == n.Verdict {
		// Nothing was measured since this verdict was stored: how the rest of the fleet fares does not change it, nor what is said of
		// it, or every node would be written again once the fleet is complete.
		n.Reason, n.Message = n.Stored.Reason, n.Stored.Message
		return false
	}
	head := *n.Result
	head.Verdict, head.Reason, head.Message = n.Verdict, n.Reason, n.Message
	if !n.Final() {
		// Rules over the fleet may still change a verdict: until the node is final only attempts are stored.
		for i := range rows {
			rows[i] = v1alpha1.BenchmarkResult{Name: rows[i].Name, Verdict: v1alpha1.VerdictPending, Attempts: rows[i].Attempts}
		}
		rows = slices.DeleteFunc(rows, func(b v1alpha1.BenchmarkResult) bool { return len(b.Attempts) == 0 })
		head.Reason, head.Message = "", ""
	}
	same := head.Verdict == n.Result.Verdict && head.Reason == n.Result.Reason && head.Message == n.Result.Message
	if !same || !slices.EqualFunc(rows, n.Result.Benchmarks, sameRow) {
		return s.rewrite(n, &head, rows, full)
	}
	return false
}

// rewrite the node's result, in this pass or in a later one, and say whether it would not be written otherwise.
func (s *Judged) rewrite(n *JudgedNode, head *v1alpha1.ValidationResult, rows []v1alpha1.BenchmarkResult, full bool) (more bool) {
	if n.Postponed = n.Final() && !n.Changed && full; n.Postponed {
		list.Sooner(&s.Recheck, s.Now)
		return false
	}
	whole := n.Result
	if !n.Changed {
		whole = n.Whole()
	}
	next := whole.DeepCopy()
	next.Verdict, next.Reason, next.Message = head.Verdict, head.Reason, head.Message
	next.Benchmarks = s.wholeRows(next, rows)
	result.Fit(next) // what did not fit before is not written again and again
	if equality.Semantic.DeepEqual(next, whole) {
		return false
	}
	more = !n.Changed
	n.Replace(next)
	return more
}

// sameRow: two rows say the same. Attempts are mostly the very same ones.
func sameRow(a, b v1alpha1.BenchmarkResult) bool {
	same := len(a.Attempts) == len(b.Attempts) &&
		(len(a.Attempts) == 0 || &a.Attempts[0] == &b.Attempts[0] || equality.Semantic.DeepEqual(a.Attempts, b.Attempts))
	a.Attempts, b.Attempts = nil, nil
	return same && equality.Semantic.DeepEqual(a, b)
}

// wholeRows gives rows the attempts that a whole result has. Those of groups are whole.
func (s *Judged) wholeRows(whole *v1alpha1.ValidationResult, rows []v1alpha1.BenchmarkResult) []v1alpha1.BenchmarkResult {
	for i := range rows {
		if t := s.TaskNamed(rows[i].Name); t < 0 || !s.Tasks[t].IsGroup() {
			rows[i].Attempts = nil
			if b := whole.Benchmark(rows[i].Name); b != nil {
				rows[i].Attempts = b.Attempts
			}
		}
	}
	return rows
}

// decide judges one benchmark on one node.
func (s *Judged) decide(n *JudgedNode, i int) verdict.Decision {
	t := &s.Tasks[i]
	attempts := n.Attempts(t.Name())
	if len(attempts) == 0 {
		return s.DecideUnmeasured(n.CollectedNode, i)
	}
	if a := collect.MissedDevices(attempts); a != nil {
		return decideMissing(a)
	}
	d := s.decideMeasured(n, i)
	if d.NeedsAttempt && len(attempts) >= plan.MaxAttempts { // the image changed under them again and again
		d.Verdict, d.Reason, d.NeedsAttempt = v1alpha1.VerdictError, v1alpha1.ReasonNotConfirmed, false
		d.Message = quantity.Clip(fmt.Sprintf("suspect, and none of %d attempts could confirm it, because the tag named another image each time: "+
			"name the image by digest; %s", len(attempts), d.Suspicion), message.Longest)
	}
	stop, ok := s.Closed(n.CollectedNode, i)
	if n.Lacks[i].Never() {
		stop, ok = n.Lacks[i].Skip(), true
	}
	if ok && d.NeedsAttempt {
		d.Verdict, d.Reason, d.NeedsAttempt = v1alpha1.VerdictError, stop.Reason, false
		d.Message = quantity.Clip(fmt.Sprintf("could not be measured again (%s), so nothing is proved: %s", stop.Message, d.Suspicion), message.Longest)
	}
	return d
}
