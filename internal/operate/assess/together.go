package assess

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/operate/tournament"
	"github.com/assay-dev/assay/internal/quantity"
)

// judgeGroups gives every node its verdict by the group benchmarks, one after the other, and marks the groups that are due.
// They come after all that nodes are measured for alone, so that a node known to be unfit spoils no measurement.
func (s *Judged) judgeGroups() {
	ready := s.decided(func(i int) bool { return !s.tasks[i].IsGroup() })
	for i := range s.tasks {
		if !s.tasks[i].IsGroup() {
			continue
		}
		why := "waiting until every node has been measured alone"
		if ready {
			why = s.awaitsDevices(i)
		}
		if ready = why == ""; !ready {
			for _, n := range s.nodes {
				n.show(i, tournament.Keep(s.storedRow(n.observedNode, i), tournament.Shown{Decision: verdict.Decision{Verdict: v1alpha1.VerdictPending, Message: why}}))
			}
			continue
		}
		s.judgeGroupTask(i)
		ready = s.decided(func(j int) bool { return j == i })
	}
}

// decided: every node has a verdict by the chosen tasks.
func (s *Judged) decided(chosen func(int) bool) bool {
	for _, n := range s.nodes {
		for i := range s.tasks {
			if chosen(i) && n.decisions[i].Verdict == v1alpha1.VerdictPending {
				return false
			}
		}
	}
	return true
}

// judgeGroupTask judges the nodes by one benchmark of groups.
func (s *Judged) judgeGroupTask(i int) {
	groups := s.groupsOf(i)
	in := tournament.Input{Run: s.run, Benchmark: s.tasks[i].Benchmark, Metrics: s.tasks[i].Metrics, Now: s.now, Started: s.started, Cut: s.cut,
		Overdue: s.overdue(), Missing: s.mpiMissing, Interrupted: s.mpiInterrupted, Nodes: s.entrants(i, groups), Groups: groups, Fleets: s.fleets}
	out := tournament.Judge(in)
	for _, n := range s.nodes {
		n.show(i, out.Shown[n.name])
	}
	for _, d := range out.Due {
		g := s.groups[d.ID]
		if g == nil {
			g = &judgedGroup{collectedGroup: &collectedGroup{observedGroup: &observedGroup{id: d.ID, task: i, nodes: d.Nodes}}}
			s.groups[d.ID] = g
		}
		g.due, g.round, g.reason = true, d.Round, d.Reason
	}
	for _, c := range out.Concluded {
		s.groups[c.ID].conclude(c.Decision)
	}
	for _, f := range out.Findings {
		s.addFinding(f)
	}
	soon(&s.recheck, out.Recheck)
}

func (n *judgedNode) show(i int, shown tournament.Shown) {
	n.decisions[i], n.grouped[i] = shown.Decision, shown.Attempts
}

// groupsOf a benchmark that were measured or have jobs.
func (s *Judged) groupsOf(i int) []*tournament.Group {
	var out []*tournament.Group
	for _, g := range inOrder(s.groups) {
		if g.task != i || len(g.attempts()) == 0 && len(g.jobs) == 0 {
			continue
		}
		t := &tournament.Group{ID: g.id, Nodes: g.nodes, Attempts: g.attempts(), Changed: g.collectedGroup.changed}
		if len(t.Attempts) > 0 {
			t.Verdict, t.Fabric = g.collectedGroup.result.Verdict, s.fabricOf(g.observedGroup)
		}
		if j := g.running(); j != nil {
			t.Running, t.Round = true, j.round
		}
		out = append(out, t)
	}
	return out
}

// entrants are the nodes as a benchmark of groups sees them.
func (s *Judged) entrants(i int, groups []*tournament.Group) []*tournament.Node {
	withOthers := map[string]bool{}
	for _, g := range groups {
		if len(g.Nodes) > 2 && len(g.Attempts) > 0 {
			for _, ref := range g.Nodes {
				withOthers[ref.Name] = true
			}
		}
	}
	out := make([]*tournament.Node, len(s.nodes))
	for k, n := range s.nodes {
		e := &tournament.Node{Name: n.name, Object: n.node, Recreated: n.facts.Recreated, Peaks: n.peaks, Past: s.pastOf(n.observedNode, i),
			LacksPast: s.lacksPast(n.observedNode, i), Held: n.busy != "" || n.ending != "", Stored: s.storedRow(n.observedNode, i)}
		if d, gone := s.unavailable(n.observedNode); gone {
			e.Gone = &d
		}
		if d, out := s.excluded(n, i); out {
			e.Out = &d
		}
		if s.overdue() {
			e.Waited = s.waitedFor(n.collectedNode, i)
		}
		if withOthers[n.name] {
			e.Ports = n.portsOf()
		}
		out[k] = e
	}
	return out
}

// excluded says why a node takes no part in a group benchmark, whatever becomes of it.
func (s *Judged) excluded(n *judgedNode, i int) (d verdict.Decision, out bool) {
	l := n.lacks[i]
	if l.never() {
		return l.skip(), true
	}
	for j, d := range n.decisions {
		alone := !s.tasks[j].IsGroup() && verdict.Severity(d.Verdict) > verdict.Severity(v1alpha1.VerdictInconclusive)
		if alone || s.tasks[j].IsGroup() && j < i && d.Verdict == v1alpha1.VerdictFail {
			return verdict.Decision{Verdict: v1alpha1.VerdictSkipped, Reason: v1alpha1.ReasonNodeTestsFailed,
				Message: "not measured with other nodes because it did not pass " + s.tasks[j].Name()}, true
		}
	}
	if l.missing() { // with fewer devices than its partners it would spoil what they measure
		return verdict.Decision{Verdict: v1alpha1.VerdictError, Reason: l.reason, Message: l.message}, true
	}
	return verdict.Decision{}, false
}

// addFinding adds a finding, as many as the status holds.
func (s *Judged) addFinding(f v1alpha1.FabricFinding) {
	const most, members = 50, 16
	f.Members = f.Members[:min(len(f.Members), members)]
	f.Message = quantity.Clip(f.Message, 1024)
	known := slices.ContainsFunc(s.findings, func(o v1alpha1.FabricFinding) bool {
		return o.Kind == f.Kind && o.Benchmark == f.Benchmark && o.Metric == f.Metric && slices.Equal(o.Members, f.Members)
	})
	if !known && len(s.findings) < most {
		s.findings = append(s.findings, f)
	}
}

// running is the group's job that measures now, nil for none.
func (g *collectedGroup) running() *collectedJob {
	for _, j := range g.jobs {
		if !j.ended && !j.terminating && int(j.attempt) == len(g.attempts())+1 {
			return j
		}
	}
	return nil
}

// storedRow is what is stored of a node by a benchmark, once the node has its verdict; nil before.
func (s *Observed) storedRow(n *observedNode, i int) *v1alpha1.BenchmarkResult {
	if n.stored == nil || n.stored.Verdict == "" || n.stored.Verdict == v1alpha1.VerdictPending {
		return nil
	}
	if b := n.stored.Benchmark(s.tasks[i].Name()); b != nil && b.Verdict != v1alpha1.VerdictPending {
		return b
	}
	return nil
}

// conclude puts what was concluded about a group into its result.
func (g *judgedGroup) conclude(d verdict.Decision) {
	if g.result == nil || d.Verdict == v1alpha1.VerdictPending || !g.changed && g.stored.Verdict == d.Verdict {
		return
	}
	g.replace(g.result.DeepCopy())
	b := &g.result.Benchmarks[0]
	b.Verdict, b.Reason, b.Message, b.Headline, b.Findings = d.Verdict, d.Reason, d.Message, d.Headline, d.Findings
	b.Curves = curved(d.Curves)
	g.result.Verdict, g.result.Reason, g.result.Message = d.Verdict, d.Reason, d.Message
	result.Fit(g.result)
}
