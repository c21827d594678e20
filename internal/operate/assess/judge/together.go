package judge

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/tournament"
	"github.com/assay-dev/assay/internal/quantity"
)

// curved leaves out what was measured at one size only: it is no curve.
func curved(all []v1alpha1.Curve) []v1alpha1.Curve {
	return list.Where(all, func(c v1alpha1.Curve) bool { return len(c.Points) > 1 })
}

// judgeGroups gives every node its verdict by the group benchmarks, one after the other, and marks the groups that are due.
// They come after all that nodes are measured for alone, so that a node known to be unfit spoils no measurement.
func (s *Judged) judgeGroups() {
	ready := s.decided(func(i int) bool { return !s.Tasks[i].IsGroup() })
	for i := range s.Tasks {
		if !s.Tasks[i].IsGroup() {
			continue
		}
		why := "waiting until every node has been measured alone"
		if ready {
			why = s.awaitsDevices(i)
		}
		if ready = why == ""; !ready {
			for _, n := range s.Nodes {
				n.show(i, tournament.Keep(s.storedRow(n.ObservedNode, i), tournament.Shown{Decision: verdict.Decision{Verdict: v1alpha1.VerdictPending, Message: why}}))
			}
			s.letFinish(i)
			continue
		}
		s.judgeGroupTask(i)
		ready = s.decided(func(j int) bool { return j == i })
	}
}

// letFinish the groups of a benchmark that are at work, although a node has to be measured alone again before others begin: none of theirs has.
func (s *Judged) letFinish(i int) {
	if s.Run.Spec.Suspend || s.Overdue() || s.MPIMissing {
		return
	}
	isOpen := func(name string) bool {
		n := s.Node(name)
		for j := range s.Tasks {
			if n == nil || !s.Tasks[j].IsGroup() && n.Decisions[j].Verdict == v1alpha1.VerdictPending {
				return true
			}
		}
		return false
	}
	for _, g := range s.Groups {
		if j := g.Running(); g.Task == i && j != nil && !slices.ContainsFunc(g.Names(), isOpen) {
			g.Due, g.Round = true, j.Round
		}
	}
}

// decided: every node has a verdict by the chosen tasks.
func (s *Judged) decided(chosen func(int) bool) bool {
	for _, n := range s.Nodes {
		for i, d := range n.Decisions {
			if chosen(i) && d.Verdict == v1alpha1.VerdictPending {
				return false
			}
		}
	}
	return true
}

// judgeGroupTask judges the nodes by one benchmark of groups.
func (s *Judged) judgeGroupTask(i int) {
	groups := s.groupsOf(i)
	in := tournament.Input{Run: s.Run, Benchmark: s.Tasks[i].Benchmark, Metrics: s.Tasks[i].Metrics, Now: s.Now, Started: s.Started, Cut: s.Cut,
		Overdue: s.Overdue(), Missing: s.MPIMissing, Interrupted: s.MPIInterrupted, Nodes: s.entrants(i, groups), Groups: groups, Fleets: s.fleets}
	out := tournament.Judge(in)
	for _, n := range s.Nodes {
		n.show(i, out.Shown[n.Name])
		s.noteMissing(n, i)
	}
	for _, d := range out.Due {
		g := s.Groups[d.ID]
		if g == nil {
			g = &JudgedGroup{CollectedGroup: &collect.CollectedGroup{ObservedGroup: &observe.ObservedGroup{ID: d.ID, Task: i, Nodes: d.Nodes}}}
			s.Groups[d.ID] = g
		}
		g.Due, g.Round, g.Reason = true, d.Round, d.Reason
	}
	for _, c := range out.Concluded {
		s.Groups[c.ID].conclude(c.Decision)
	}
	for _, f := range out.Findings {
		s.addFinding(f)
	}
	list.Sooner(&s.Recheck, out.Recheck)
}

func (n *JudgedNode) show(i int, shown tournament.Shown) {
	n.Decisions[i], n.Grouped[i] = shown.Decision, shown.Attempts
}

// groupsOf a benchmark that were measured or have jobs.
func (s *Judged) groupsOf(i int) []*tournament.Group {
	var out []*tournament.Group
	for _, g := range observe.InOrder(s.Groups) {
		if g.Task != i || len(g.Attempts()) == 0 && len(g.Jobs) == 0 {
			continue
		}
		t := &tournament.Group{ID: g.ID, Nodes: g.Nodes, Attempts: g.Attempts(), Changed: g.CollectedGroup.Changed}
		if len(t.Attempts) > 0 {
			t.Verdict, t.Fabric = g.CollectedGroup.Result.Verdict, s.FabricOf(g.ObservedGroup)
		}
		if j := g.Running(); j != nil {
			t.Running, t.Round = true, j.Round
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
	out := make([]*tournament.Node, len(s.Nodes))
	for k, n := range s.Nodes {
		e := &tournament.Node{Name: n.Name, Object: n.Node, Recreated: n.Facts.Recreated, Fabric: s.FabricAt(n.ObservedNode, i), Peaks: n.Peaks,
			Past: s.PastOf(n.ObservedNode, i), LacksPast: s.LacksPast(n.ObservedNode, i), Held: n.Busy != "" || n.Ending != "", Stored: s.storedRow(n.ObservedNode, i)}
		if n.Node != nil {
			e.Class = workload.ClassOf(s.Tasks[i].Benchmark, n.Node)
		}
		if d, gone := s.Unavailable(n.ObservedNode); gone {
			e.Gone = &d
		}
		if d, out := s.excluded(n, i); out {
			e.Out = &d
		}
		if s.Overdue() {
			e.Waited = s.WaitedFor(n.CollectedNode, i)
		}
		if withOthers[n.Name] {
			e.Ports = n.PortsOf()
		}
		out[k] = e
	}
	return out
}

// excluded says why a node takes no part in a group benchmark, whatever becomes of it.
func (s *Judged) excluded(n *JudgedNode, i int) (d verdict.Decision, out bool) {
	if a := collect.MissedDevices(n.Attempts(s.Tasks[i].Name())); a != nil {
		return decideMissing(a), true
	}
	l := n.Lacks[i]
	if l.Never() {
		return l.Skip(), true
	}
	for j, d := range n.Decisions {
		alone := !s.Tasks[j].IsGroup() && verdict.Severity(d.Verdict) > verdict.Severity(v1alpha1.VerdictInconclusive)
		if alone || s.Tasks[j].IsGroup() && j < i && d.Verdict == v1alpha1.VerdictFail {
			return verdict.Decision{Verdict: v1alpha1.VerdictSkipped, Reason: v1alpha1.ReasonNodeTestsFailed,
				Message: "not measured with other nodes because it did not pass " + s.Tasks[j].Name()}, true
		}
	}
	if l.Missing() { // with fewer devices than its partners it would spoil what they measure
		return verdict.Decision{Verdict: v1alpha1.VerdictError, Reason: l.Reason, Message: l.Message}, true
	}
	return verdict.Decision{}, false
}

// addFinding adds a finding, as many as the status holds.
func (s *Judged) addFinding(f v1alpha1.FabricFinding) {
	const most, members = 50, 16
	f.Members = f.Members[:min(len(f.Members), members)]
	f.Message = quantity.Clip(f.Message, 1024)
	known := slices.ContainsFunc(s.Findings, func(o v1alpha1.FabricFinding) bool {
		return o.Kind == f.Kind && o.Benchmark == f.Benchmark && o.Metric == f.Metric && slices.Equal(o.Members, f.Members)
	})
	if !known && len(s.Findings) < most {
		s.Findings = append(s.Findings, f)
	}
}

// storedRow is what is stored of a node by a benchmark, once the node has its verdict; nil before.
func (s *Judged) storedRow(n *observe.ObservedNode, i int) *v1alpha1.BenchmarkResult {
	if n.Stored == nil || n.Stored.Verdict == "" || n.Stored.Verdict == v1alpha1.VerdictPending {
		return nil
	}
	if b := n.Stored.Benchmark(s.Tasks[i].Name()); b != nil && b.Verdict != v1alpha1.VerdictPending {
		return b
	}
	return nil
}

// conclude puts what was concluded about a group into its result.
func (g *JudgedGroup) conclude(d verdict.Decision) {
	if g.Result == nil || d.Verdict == v1alpha1.VerdictPending || !g.Changed && g.Stored.Verdict == d.Verdict {
		return
	}
	g.Replace(g.Result.DeepCopy())
	b := &g.Result.Benchmarks[0]
	b.Verdict, b.Reason, b.Message, b.Headline, b.Findings = d.Verdict, d.Reason, d.Message, d.Headline, d.Findings
	b.Curves = curved(d.Curves)
	g.Result.Verdict, g.Result.Reason, g.Result.Message = d.Verdict, d.Reason, d.Message
	result.Fit(g.Result)
}
