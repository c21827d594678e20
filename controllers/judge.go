package controllers

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/plan"
	"github.com/assay-dev/assay/internal/result"
	"github.com/assay-dev/assay/internal/taint"
	"github.com/assay-dev/assay/internal/verdict"
)

// breaker is what stops the run from tainting.
type breaker struct {
	open    bool
	message string
	input   taint.BreakerInput
}

// resultName is the same for the same run and node, and never that of another pair.
func resultName(run *v1alpha1.ValidationRun, node string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%s", run.UID, node))
	name := run.Name + "." + node
	if len(name) > 230 {
		name = name[:230]
	}
	return name + "." + hex.EncodeToString(sum[:])[:10]
}

// judge gives every node its verdict, as far as the stored attempts allow.
func (s *scope) judge() {
	for i := range s.tasks {
		if !s.tasks[i].isGroup() {
			s.tasks[i].fleet = s.fleet(i)
		}
	}
	for _, n := range s.nodes {
		n.decisions = make([]verdict.Decision, len(s.tasks))
		n.grouped = make([][]v1alpha1.Attempt, len(s.tasks))
		for i := range s.tasks {
			if !s.tasks[i].isGroup() {
				n.decisions[i] = s.decide(n, i)
			}
		}
	}
	s.judgeGroups()
	for _, n := range s.nodes {
		s.judgeNode(n)
	}
	s.judgeBreaker()
}

// fleet holds the first measured attempt of every node. It is complete when no node can add to it any more; a run that is suspended
// is not over, so that its nodes may still.
func (s *scope) fleet(i int) *verdict.Fleet {
	var first []*v1alpha1.Attempt
	complete := true
	for _, n := range s.nodes {
		attempts := verdict.Alike(n.attempts(s.tasks[i].name()))
		if a := slices.IndexFunc(attempts, measured); a >= 0 {
			first = append(first, &attempts[a])
		} else if len(attempts) == 0 && n.unmet[i] == "" && !s.overdue() {
			_, skipped := s.unstartable(n)
			complete = complete && skipped && !s.run.Spec.Suspend
		}
	}
	return verdict.NewFleet(s.tasks[i].name(), s.tasks[i].metrics, first, complete)
}

func measured(a v1alpha1.Attempt) bool {
	return a.Verdict == v1alpha1.VerdictPass || a.Verdict == v1alpha1.VerdictFail
}

// unstartable says why nothing more can be started on a node; ok is false where something can, or may yet.
func (s *scope) unstartable(n *nodeScope) (d verdict.Decision, ok bool) {
	d, ok = s.away(n)
	if s.overdue() && (!ok || d.Reason == v1alpha1.ReasonNodeBusy) {
		return verdict.Decision{Verdict: v1alpha1.VerdictMissing, Reason: v1alpha1.ReasonDeadlineExceeded,
			Message: fmt.Sprintf("not measured within activeDeadlineSeconds (%d): raise it, or measure more nodes at once", *s.run.Spec.ActiveDeadlineSeconds)}, true
	}
	return d, ok
}

func (s *scope) judgeNode(n *nodeScope) {
	rows := make([]v1alpha1.BenchmarkResult, len(s.tasks))
	for i := range s.tasks {
		d := n.decisions[i]
		rows[i] = v1alpha1.BenchmarkResult{Name: s.tasks[i].name(), Verdict: d.Verdict, Reason: d.Reason, Message: d.Message,
			Headline: d.Headline, Findings: d.Findings, Attempts: n.attempts(s.tasks[i].name())}
		if s.tasks[i].isGroup() {
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
	s.store(n, rows)
}

// store puts the verdicts into the node's result, which exists once something was measured.
func (s *scope) store(n *nodeScope, rows []v1alpha1.BenchmarkResult) {
	if n.result == nil && n.final() && n.node != nil && slices.ContainsFunc(n.grouped, func(a []v1alpha1.Attempt) bool { return len(a) > 0 }) {
		n.edit(s.run, string(n.node.UID))
	}
	if n.result == nil {
		return
	}
	if n.final() && n.result == n.stored && n.stored.Verdict == n.verdict {
		// Nothing was measured since this verdict was stored: how the rest of the fleet fares does not change it, nor what is said of
		// it, or every node would be written again once the fleet is complete.
		n.reason, n.message = n.stored.Reason, n.stored.Message
		return
	}
	if !n.final() {
		// Rules over the fleet may still change a verdict: until the node is final only attempts are stored.
		for i := range rows {
			rows[i].Verdict, rows[i].Reason, rows[i].Message = v1alpha1.VerdictPending, "", ""
			rows[i].Headline, rows[i].Findings = nil, nil
		}
		rows = slices.DeleteFunc(rows, func(b v1alpha1.BenchmarkResult) bool { return len(b.Attempts) == 0 })
	}
	next := n.result.DeepCopy()
	next.Benchmarks = rows
	next.Verdict, next.Reason, next.Message = n.verdict, n.reason, n.message
	if !n.final() {
		next.Reason, next.Message = "", ""
	}
	if equality.Semantic.DeepEqual(next, n.result) {
		return
	}
	result.Fit(next) // what did not fit before is not written again and again
	if !equality.Semantic.DeepEqual(next, n.result) {
		n.result = next
	}
}

// decide judges one benchmark on one node.
func (s *scope) decide(n *nodeScope, i int) verdict.Decision {
	t := &s.tasks[i]
	attempts := n.attempts(t.name())
	if len(attempts) == 0 {
		if n.unmet[i] != "" && n.node != nil {
			return verdict.Decision{Verdict: v1alpha1.VerdictSkipped, Reason: v1alpha1.ReasonNeedsNotMet, Message: n.unmet[i]}
		}
		// A pod that will not go (its process hangs in a driver) holds the verdict up only for so long.
		if d, ok := s.unstartable(n); ok && (len(s.podsOf(n, i)) == 0 || s.pastCleanup()) {
			return d
		}
		return verdict.Decision{Verdict: v1alpha1.VerdictPending}
	}
	facts := verdict.NodeFacts{Peaks: n.peaks, History: s.historyOf(n, t)}
	d := verdict.Decide(t.fleet.JudgeAll(verdict.Alike(attempts), facts), *s.run.Spec.Confirmations)
	if d.NeedsAttempt && len(attempts) >= plan.MaxAttempts { // the image changed under them again and again
		d.Verdict, d.Reason, d.NeedsAttempt = v1alpha1.VerdictError, v1alpha1.ReasonNotConfirmed, false
		d.Message = verdict.Clip(fmt.Sprintf("failed, and %d attempts could not confirm it, because the image that its tag names changed between them: name the image by digest: %s",
			len(attempts), d.Message), 1024)
	}
	if stop, ok := s.unstartable(n); ok && d.NeedsAttempt {
		d.Verdict, d.Reason, d.NeedsAttempt = v1alpha1.VerdictError, stop.Reason, false
		d.Message = verdict.Clip(fmt.Sprintf("failed once and could not be confirmed (%s): %s", stop.Message, d.Message), 1024)
	}
	return d
}

func (s *scope) podsOf(n *nodeScope, i int) []plan.Pod {
	var out []plan.Pod
	for _, p := range n.pods {
		if p.task == i || p.task < 0 && i == 0 {
			out = append(out, plan.Pod{Name: p.pod.Name, Attempt: p.attempt, Ended: p.ended, Terminating: p.pod.DeletionTimestamp != nil})
		}
	}
	return out
}

// historyOf is the node's past by this benchmark, without this run.
func (s *scope) historyOf(n *nodeScope, t *task) []v1alpha1.HistoryEntry {
	if n.validation == nil || n.node == nil || n.validation.Fingerprint.NodeUID != n.node.UID {
		return nil
	}
	var out []v1alpha1.HistoryEntry
	for _, b := range n.validation.Benchmarks {
		for _, h := range b.History {
			if b.Name == t.name() && h.RunUID != s.run.UID {
				out = append(out, h)
			}
		}
	}
	return out
}

// judgeBreaker counts who failed and why. A run that taints nothing has nothing to break.
func (s *scope) judgeBreaker() {
	f := s.run.Spec.OnFailure
	if f == nil || f.Taint == nil {
		return
	}
	in := taint.BreakerInput{Nodes: len(s.nodes), Limit: taint.Limit(f.MaxTaintedNodes, len(s.nodes))}
	for _, n := range s.nodes {
		if !n.final() && !n.tainted() {
			continue
		}
		j := taint.JudgedNode{Name: n.name, Verdict: n.verdict, Tainted: n.tainted()}
		for i, d := range n.decisions {
			for _, finding := range d.Findings {
				if finding.Verdict == v1alpha1.VerdictFail {
					j.Failures = append(j.Failures, s.tasks[i].name()+"/"+finding.Metric+"/"+finding.Rule)
				}
			}
		}
		slices.Sort(j.Failures)
		j.Failures = slices.Compact(j.Failures)
		in.Judged = append(in.Judged, j)
	}
	s.breaker.input = in
	s.breaker.open, s.breaker.message = taint.Breaker(in)
}

// next asks the planner.
func (s *scope) next() {
	snap := plan.Snapshot{Suspended: s.run.Spec.Suspend, Deadline: s.deadline,
		MaxConcurrent: concurrent(s.run.Spec.MaxConcurrentNodes, len(s.nodes)), SkipBusy: s.run.Spec.BusyNodes == v1alpha1.BusySkip}
	for _, n := range s.nodes {
		p := plan.Node{Name: n.name, Facts: n.facts, Occupied: cmp.Or(n.occupied, n.held)}
		for i := range s.tasks {
			if s.tasks[i].isGroup() {
				continue
			}
			p.Tasks = append(p.Tasks, plan.Task{
				Benchmark:    s.tasks[i].name(),
				Unmet:        n.unmet[i],
				Decided:      n.decisions[i].Verdict != v1alpha1.VerdictPending,
				NeedsAttempt: n.decisions[i].NeedsAttempt && len(n.attempts(s.tasks[i].name())) < plan.MaxAttempts,
				Attempts:     int32(len(n.attempts(s.tasks[i].name()))),
				Pods:         s.podsOf(n, i),
			})
		}
		snap.Nodes = append(snap.Nodes, p)
	}
	snap.Groups = s.planGroups()
	for _, g := range snap.Groups {
		for i, j := range s.groups[g.ID].jobs {
			if j.givenUp {
				g.Jobs[i].GivenUp = j.busy
			}
		}
	}
	s.plan = plan.Next(snap, s.now)
}
