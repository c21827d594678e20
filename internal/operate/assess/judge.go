package assess

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/quantity"
)

// mostStored is how many verdicts one pass stores at most. When the last node of a fleet is measured, all nodes get their verdicts at once,
// and what is written of them, with all that was measured and is known, would take a gigabyte.
const mostStored = 128

// judge gives every node its verdict, as far as the collected attempts allow.
func judge(c *Collected) *Judged {
	s := compare(c)
	for _, n := range s.nodes {
		s.rememberGroups(n.observedNode)
		for i := range s.tasks {
			if !s.tasks[i].IsGroup() {
				n.decisions[i] = s.decide(n, i)
			}
		}
	}
	s.judgeGroups()
	final, toStore := true, 0
	for _, n := range s.inOrderToStore() {
		if s.judgeNode(n, toStore == mostStored) {
			toStore++
		}
		final = final && n.final()
	}
	if final {
		for _, g := range s.groups { // whatever would be measured now, no verdict waits for it
			g.due = false
		}
		s.reportPopulations()
		s.reportShifts()
	}
	return s
}

// compare the nodes with each other: makes the fleets that they are judged by.
func compare(c *Collected) *Judged {
	s := &Judged{Collected: c, groups: make(map[string]*judgedGroup, len(c.groups)), fleets: make([]*verdict.Judge, len(c.tasks)), recheck: c.recheck}
	for id, g := range c.groups {
		s.groups[id] = &judgedGroup{collectedGroup: g, record: g.record}
	}
	for _, n := range c.nodes {
		s.nodes = append(s.nodes, &judgedNode{collectedNode: n, record: n.record, digests: s.digest(n), decisions: make([]verdict.Decision, len(s.tasks)),
			changes: make([]*changed, len(s.tasks)), grouped: make([][]v1alpha1.Attempt, len(s.tasks)), remembered: !n.changed})
	}
	for i := range s.tasks {
		if !s.tasks[i].IsGroup() {
			s.fleets[i] = s.fleet(i)
		}
	}
	return s
}

// node of the run; nil where it is none.
func (s *Judged) node(name string) *judgedNode { return find(s.nodes, name) }

// inOrderToStore are the nodes, those first whose results could be stored so far: some that never can be must not keep the others waiting.
func (s *Judged) inOrderToStore() []*judgedNode {
	if !slices.ContainsFunc(s.nodes, func(n *judgedNode) bool { return n.memory.unstored() > 0 }) {
		return s.nodes
	}
	return slices.SortedStableFunc(slices.Values(s.nodes), func(a, b *judgedNode) int { return cmp.Compare(a.memory.unstored(), b.memory.unstored()) })
}

func measured(a v1alpha1.Attempt) bool {
	return a.Verdict == v1alpha1.VerdictPass || a.Verdict == v1alpha1.VerdictFail && !foundMissing(&a)
}

// judgeNode puts the verdicts of all benchmarks together, and says whether that makes its result one to be written. full: no more are to be.
func (s *Judged) judgeNode(n *judgedNode, full bool) (more bool) {
	rows := make([]v1alpha1.BenchmarkResult, len(s.tasks))
	for i := range s.tasks {
		d := n.decisions[i]
		rows[i] = v1alpha1.BenchmarkResult{Name: s.tasks[i].Name(), Verdict: d.Verdict, Reason: d.Reason, Message: d.Message,
			Headline: d.Headline, Curves: d.Curves, Findings: d.Findings, Attempts: n.attempts(s.tasks[i].Name())}
		if s.tasks[i].IsGroup() {
			rows[i].Attempts = n.grouped[i]
		}
	}
	if n.result != nil { // what is stored is never dropped
		for _, b := range n.result.Benchmarks {
			if s.taskNamed(b.Name) < 0 {
				rows = append(rows, b)
			}
		}
	}
	n.verdict, n.reason, n.message = verdict.Node(rows)
	if slices.ContainsFunc(rows, func(b v1alpha1.BenchmarkResult) bool { return b.Verdict == v1alpha1.VerdictPending }) {
		n.verdict = v1alpha1.VerdictPending
	} else if n.facts.Recreated {
		n.verdict = v1alpha1.VerdictError
		n.reason, n.message, _ = n.facts.Unavailable(s.now)
	}
	return s.store(n, rows, full)
}

// store puts the verdicts into the node's result, which exists once something was measured.
func (s *Judged) store(n *judgedNode, rows []v1alpha1.BenchmarkResult, full bool) (more bool) {
	if n.result == nil && n.final() && n.node != nil && slices.ContainsFunc(n.grouped, func(a []v1alpha1.Attempt) bool { return len(a) > 0 }) {
		n.replace(n.newResult(s.run, string(n.node.UID)))
	}
	if n.result == nil {
		return false
	}
	if n.final() && !n.changed && n.stored.Verdict == n.verdict {
		// Nothing was measured since this verdict was stored: how the rest of the fleet fares does not change it, nor what is said of
		// it, or every node would be written again once the fleet is complete.
		n.reason, n.message = n.stored.Reason, n.stored.Message
		return false
	}
	head := *n.result
	head.Verdict, head.Reason, head.Message = n.verdict, n.reason, n.message
	if !n.final() {
		// Rules over the fleet may still change a verdict: until the node is final only attempts are stored.
		for i := range rows {
			rows[i] = v1alpha1.BenchmarkResult{Name: rows[i].Name, Verdict: v1alpha1.VerdictPending, Attempts: rows[i].Attempts}
		}
		rows = slices.DeleteFunc(rows, func(b v1alpha1.BenchmarkResult) bool { return len(b.Attempts) == 0 })
		head.Reason, head.Message = "", ""
	}
	if !sameHead(&head, n.result) || !slices.EqualFunc(rows, n.result.Benchmarks, sameRow) {
		return s.rewrite(n, &head, rows, full)
	}
	return false
}

// rewrite the node's result, in this pass or in a later one, and say whether it would not be written otherwise.
func (s *Judged) rewrite(n *judgedNode, head *v1alpha1.ValidationResult, rows []v1alpha1.BenchmarkResult, full bool) (more bool) {
	if n.postponed = n.final() && !n.changed && full; n.postponed {
		soon(&s.recheck, s.now)
		return false
	}
	whole := n.result
	if !n.changed {
		whole = n.whole()
	}
	next := whole.DeepCopy()
	next.Verdict, next.Reason, next.Message = head.Verdict, head.Reason, head.Message
	next.Benchmarks = s.wholeRows(next, rows)
	result.Fit(next) // what did not fit before is not written again and again
	if equality.Semantic.DeepEqual(next, whole) {
		return false
	}
	more = !n.changed
	n.replace(next)
	return more
}

// sameHead: two results say the same of the node.
func sameHead(a, b *v1alpha1.ValidationResult) bool {
	return a.Verdict == b.Verdict && a.Reason == b.Reason && a.Message == b.Message
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
		if t := s.taskNamed(rows[i].Name); t < 0 || !s.tasks[t].IsGroup() {
			if b := whole.Benchmark(rows[i].Name); b != nil {
				rows[i].Attempts = b.Attempts
			} else {
				rows[i].Attempts = nil
			}
		}
	}
	return rows
}

// decide judges one benchmark on one node.
func (s *Judged) decide(n *judgedNode, i int) verdict.Decision {
	t := &s.tasks[i]
	attempts := n.attempts(t.Name())
	if len(attempts) == 0 {
		return s.decideUnmeasured(n.collectedNode, i)
	}
	if a := missedDevices(attempts); a != nil {
		return decideMissing(a)
	}
	d := s.decideMeasured(n, i)
	if d.NeedsAttempt && len(attempts) >= plan.MaxAttempts { // the image changed under them again and again
		d.Verdict, d.Reason, d.NeedsAttempt = v1alpha1.VerdictError, v1alpha1.ReasonNotConfirmed, false
		d.Message = quantity.Clip(fmt.Sprintf("suspect, and none of %d attempts could confirm it, because the tag named another image each time: "+
			"name the image by digest; %s", len(attempts), d.Suspicion), message.Longest)
	}
	stop, ok := s.closed(n.collectedNode, i)
	if n.lacks[i].never() {
		stop, ok = n.lacks[i].skip(), true
	}
	if ok && d.NeedsAttempt {
		d.Verdict, d.Reason, d.NeedsAttempt = v1alpha1.VerdictError, stop.Reason, false
		d.Message = quantity.Clip(fmt.Sprintf("could not be measured again (%s), so nothing is proved: %s", stop.Message, d.Suspicion), message.Longest)
	}
	return d
}

// decideUnmeasured judges a benchmark of which nothing was measured on a node.
func (s *Collected) decideUnmeasured(n *collectedNode, i int) verdict.Decision {
	// A pod that will not go (its process hangs in a driver) holds the verdict up only for so long.
	idle := len(s.podsOf(n, i)) == 0 || s.pastCleanup()
	if n.lacks[i].never() && idle {
		return n.lacks[i].skip()
	}
	if d, ok := s.closed(n, i); ok && idle {
		return d
	}
	return verdict.Decision{Verdict: v1alpha1.VerdictPending}
}
