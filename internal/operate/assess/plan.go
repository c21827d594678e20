package assess

import (
	"cmp"
	"slices"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/operate/tournament"
)

const (
	// jobCheck is when a new MPIJob is looked at, whether it has pods by then or not.
	jobCheck = 4 * time.Second
	// maxJobsBehind is how many MPIJobs of one run may exist of which the MPI Operator has made no pod yet. By default it takes
	// about one a second (--kube-api-qps): more would only wait there, and hold their nodes meanwhile.
	maxJobsBehind = 50
)

// next asks the planner what is to be done now.
func next(j *Judged) *Planned {
	s := &Planned{Judged: j, breaker: breakerOf(j), recheck: j.recheck}
	snap := plan.Snapshot{Suspended: s.run.Spec.Suspend, Deadline: s.deadline,
		MaxConcurrent: concurrent(s.run.Spec.MaxConcurrentNodes, len(s.nodes)), SkipBusy: skipsBusy(s.run), Groups: s.planGroups()}
	for _, n := range s.nodes {
		snap.Nodes = append(snap.Nodes, s.planNode(n))
	}
	s.plan = plan.Next(snap, s.now)
	s.holdBackJobs()
	return s
}

// planNode tells the planner of a node and of what it is measured for alone.
func (s *Planned) planNode(n *judgedNode) plan.Node {
	p := plan.Node{Name: n.name, Facts: n.facts, Busy: cmp.Or(n.busy, n.ending)}
	for i := range s.tasks {
		l := n.lacks[i]
		if s.tasks[i].IsGroup() {
			if l.waits() {
				p.Awaits = l.wait()
			}
			continue
		}
		stored := n.attempts(s.tasks[i].Name())
		attempts := len(stored)
		p.Tasks = append(p.Tasks, plan.Task{
			Benchmark:    s.tasks[i].Name(),
			NeedsNotMet:  l.forGood(),
			Awaits:       s.awaits(n.collectedNode, i),
			Decided:      n.decisions[i].Verdict != v1alpha1.VerdictPending,
			NeedsAttempt: n.decisions[i].NeedsAttempt && attempts < plan.MaxAttempts,
			Again:        tournament.WhyAgain(stored),
			Attempts:     int32(attempts),
			Pods:         s.podsOf(n.collectedNode, i),
		})
	}
	return p
}

// planGroups tells the planner of the groups that are due or have jobs, the longest waiting first.
func (s *Planned) planGroups() []plan.Group {
	var out []plan.Group
	for _, g := range inOrder(s.groups) {
		if !g.due && len(g.jobs) == 0 {
			continue
		}
		p := plan.Group{ID: g.id, Benchmark: s.tasks[g.task].Name(), Nodes: g.names(), Wanted: g.due,
			Attempt: int32(len(g.attempts())) + 1, Reason: g.reason, Awaits: s.groupPause(g)}
		for _, j := range g.jobs {
			pod := plan.Pod{Name: j.name, Attempt: j.attempt, Ended: j.ended, GivenUp: j.makesWay, Terminating: j.terminating}
			if j.givenUp {
				pod.GivenUp = j.busy
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
	for _, g := range s.groups {
		for _, j := range g.jobs {
			if len(j.facts.Pods) == 0 && !j.terminating && !j.ended {
				behind++
			}
		}
	}
	room := max(maxJobsBehind-behind, 0)
	s.plan.Actions = slices.DeleteFunc(s.plan.Actions, func(a plan.Action) bool {
		if a.Kind != plan.Launch || a.Group == "" {
			return false
		}
		soon(&s.recheck, s.now.Add(jobCheck))
		if room > 0 {
			room--
			return false
		}
		for _, name := range s.groups[a.Group].names() {
			s.plan.Waiting[name] = "waiting for the MPI Operator, which has yet to start other MPIJobs of this run"
		}
		return true
	})
}

// groupPause is the pause before a group is measured again; a round of a tournament begins without one.
func (s *Planned) groupPause(g *judgedGroup) plan.Wait {
	attempts := g.attempts()
	if n := len(attempts); n == 0 || attempts[n-1].Round != g.round {
		return plan.Wait{}
	}
	return pauseAfter(attempts, s.now)
}

// Planned is what was judged, with what is to be done about it.
type Planned struct {
	*Judged
	plan    plan.Plan
	breaker Breaker
	recheck time.Time
}
