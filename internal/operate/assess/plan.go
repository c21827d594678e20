package assess

import (
	"cmp"
	"slices"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/judge"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/internal/operate/tournament"
)

// jobCheck is when a new MPIJob is looked at, whether it has pods by then or not.
const jobCheck = 4 * time.Second

// next asks the planner what is to be done now.
func next(j *judge.Judged) *Planned {
	s := &Planned{Judged: j, breaker: breakerOf(j), recheck: j.Recheck}
	snap := plan.Snapshot{Suspended: s.Run.Spec.Suspend, Deadline: s.Deadline,
		MaxConcurrent: plan.Concurrent(s.Run.Spec.MaxConcurrentNodes, len(s.Nodes)), SkipBusy: observe.SkipsBusy(s.Run), Groups: s.planGroups()}
	for _, n := range s.Nodes {
		snap.Nodes = append(snap.Nodes, s.planNode(n))
	}
	s.plan = plan.Next(snap, s.Now)
	s.holdBackJobs()
	return s
}

// planNode tells the planner of a node and of what it is measured for alone.
func (s *Planned) planNode(n *judge.JudgedNode) plan.Node {
	p := plan.Node{Name: n.Name, Facts: n.Facts, Busy: cmp.Or(n.Busy, n.Ending)}
	for i := range s.Tasks {
		l := n.Lacks[i]
		if s.Tasks[i].IsGroup() {
			p.Awaits = cmp.Or(l.Wait(), p.Awaits)
			continue
		}
		stored := n.Attempts(s.Tasks[i].Name())
		attempts := len(stored)
		again, awaits := n.Decisions[i].NeedsAttempt && attempts < plan.MaxAttempts, s.Awaits(n.CollectedNode, i)
		if again && n.Decisions[i].Crowded && awaits.For == "" {
			awaits = s.AwaitsQuiet(n.CollectedNode, i)
		}
		p.Tasks = append(p.Tasks, plan.Task{
			Benchmark:    s.Tasks[i].Name(),
			NeedsNotMet:  l.ForGood(),
			Awaits:       awaits,
			Decided:      n.Decisions[i].Verdict != v1alpha1.VerdictPending,
			NeedsAttempt: again,
			Again:        tournament.WhyAgain(stored),
			Attempts:     int32(attempts),
			Pods:         s.PodsOf(n.CollectedNode, i),
		})
	}
	return p
}

// planGroups tells the planner of the groups that are due or have jobs, the longest waiting first.
func (s *Planned) planGroups() []plan.Group {
	var out []plan.Group
	for _, g := range observe.InOrder(s.Groups) {
		if !g.Due && len(g.Jobs) == 0 {
			continue
		}
		p := plan.Group{ID: g.ID, Benchmark: s.Tasks[g.Task].Name(), Nodes: g.Names(), Wanted: g.Due,
			Attempt: int32(len(g.Attempts())) + 1, Reason: g.Reason, Awaits: s.groupPause(g)}
		for _, j := range g.Jobs {
			pod := plan.Pod{Name: j.Name, Attempt: j.Attempt, Ended: j.Ended, GivenUp: j.MakesWay, Terminating: j.Terminating}
			if j.GivenUp {
				pod.GivenUp = j.Busy
			}
			p.Jobs = append(p.Jobs, pod)
		}
		out = append(out, p)
	}
	return out
}

// holdBackJobs takes out of the plan the MPIJobs that the MPI Operator could not get round to.
func (s *Planned) holdBackJobs() {
	behind := 0
	for _, g := range s.Groups {
		for _, j := range g.Jobs {
			if len(j.Facts.Pods) == 0 && !j.Terminating && !j.Ended {
				behind++
			}
		}
	}
	room := max(judge.MaxJobsBehind-behind, 0)
	s.plan.Actions = slices.DeleteFunc(s.plan.Actions, func(a plan.Action) bool {
		if a.Kind != plan.Launch || a.Group == "" {
			return false
		}
		list.Sooner(&s.recheck, s.Now.Add(jobCheck))
		if room > 0 {
			room--
			return false
		}
		for _, name := range s.Groups[a.Group].Names() {
			s.plan.Waiting[name] = "waiting for the MPI Operator, which has yet to start other MPIJobs of this run"
		}
		return true
	})
}

// groupPause is the pause before a group is measured again; a round of a tournament begins without one.
func (s *Planned) groupPause(g *judge.JudgedGroup) plan.Wait {
	attempts := g.Attempts()
	if n := len(attempts); n == 0 || attempts[n-1].Round != g.Round {
		return plan.Wait{}
	}
	return collect.PauseAfter(attempts, s.Now)
}

// Planned is what was judged, with what is to be done about it.
type Planned struct {
	*judge.Judged
	plan    plan.Plan
	breaker Breaker
	recheck time.Time
}

// Breaker is what keeps the run from calling nodes unfit.
type Breaker struct {
	Open    bool
	Message string
	// Early: too few nodes are measured yet for a run that taints nobody to call one of them unfit. A run that taints asks for that
	// node by node, as it does for its budgets.
	Early bool
	// Input that it was asked with: whoever taints counts by it once more.
	Input taint.BreakerInput
}

// breakerOf a run counts who failed and why. A run that failed nobody has nothing to break: an older taint is no failure of this run,
// however few may carry one. A run that taints nobody has no budget, but most of its nodes may fail alike all the same.
func breakerOf(s *judge.Judged) (b Breaker) {
	in := taint.BreakerInput{Nodes: len(s.Nodes), Limit: taint.NoTaint, Elsewhere: s.Elsewhere}
	if f := s.Run.Spec.OnFailure; f != nil && f.Taint != nil {
		in.Limit = taint.Limit(f.MaxTaintedNodes, len(s.Nodes))
	}
	for _, n := range s.Nodes {
		if !n.Final() && !n.Tainted() {
			continue
		}
		j := taint.JudgedNode{Name: n.Name, Verdict: n.Verdict, Tainted: n.Tainted()}
		if n.Node != nil {
			j.InstanceType = taint.InstanceType(n.Node)
		}
		for i, d := range n.Decisions {
			for _, finding := range d.Findings {
				if finding.Verdict == v1alpha1.VerdictFail {
					failure := s.Tasks[i].Name() + "/" + finding.Metric + "/" + finding.Rule
					j.Failures, j.Parts = append(j.Failures, failure), append(j.Parts, failure+"/"+finding.At)
				}
			}
		}
		slices.Sort(j.Failures)
		j.Failures = slices.Compact(j.Failures)
		in.Judged = append(in.Judged, j)
	}
	b.Input = in
	if slices.ContainsFunc(in.Judged, func(j taint.JudgedNode) bool { return j.Verdict == v1alpha1.VerdictFail }) {
		b.Open, b.Message = taint.Breaker(in)
		b.Early = in.Limit == taint.NoTaint && in.Early()
	}
	return b
}
