package collect

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/operate/tournament"
)

// Closed says why nothing more can be started on a node for a task; ok is false where something can, or may yet.
func (s *Collected) Closed(n *CollectedNode, i int) (d verdict.Decision, ok bool) {
	d, ok = s.Unavailable(n.ObservedNode)
	if s.Overdue() && (!ok || d.Reason == v1alpha1.ReasonNodeBusy) {
		return tournament.TooLate(s.Run, s.Cut, s.WaitedFor(n, i)), true
	}
	return d, ok
}

// WaitedFor says what kept a node from being measured by a task when the deadline passed; empty: nothing that is known.
func (s *Collected) WaitedFor(n *CollectedNode, i int) string {
	key := observe.Attempted{Node: n.Name, Benchmark: s.Tasks[i].Name()}
	if waited := s.CutShort[key]; waited != "" {
		return waited
	}
	for _, p := range n.Pods {
		if p.Task == i && !p.Ended {
			return s.podWaited(p)
		}
	}
	_, unavailable, _ := n.Facts.Unavailable(s.Now)
	return cmp.Or(s.jobsWait[key], unavailable, s.Awaits(n, i).For, n.Busy, n.Ending, s.waitedForOthers(n, i))
}

// waitedForOthers says which benchmark or nodes came before a task that was not begun; empty: none did.
func (s *Collected) waitedForOthers(n *CollectedNode, i int) string {
	for j := range s.Tasks[:i] { // cheapest first: this one was not begun
		if s.CutShort[observe.Attempted{Node: n.Name, Benchmark: s.Tasks[j].Name()}] != "" || slices.ContainsFunc(n.Pods, func(p *CollectedPod) bool { return p.Task == j && !p.Ended }) {
			return fmt.Sprintf("%s, which comes before it on the node, had not ended", s.Tasks[j].Name())
		}
	}
	if most := plan.Concurrent(s.Run.Spec.MaxConcurrentNodes, len(s.Nodes)); most < len(s.Nodes) && !s.Tasks[i].IsGroup() {
		return plan.WaitsForItsTurn(most)
	}
	return ""
}

// podWaited says what a pod waited for when the deadline passed, or how long its program had run.
func (s *Collected) podWaited(p *CollectedPod) string {
	if p.Waits != "" {
		return p.Waits
	}
	for _, c := range p.Pod.Status.ContainerStatuses {
		if c.Name == workload.ProgramContainer && c.State.Running != nil {
			// A node's clock may be off: no program ran for longer than its pod exists.
			ran := min(s.Deadline.Sub(c.State.Running.StartedAt.Time), s.Deadline.Sub(p.Pod.CreationTimestamp.Time))
			return fmt.Sprintf("the program had run for %d s (its timeoutSeconds allows %d)", int(max(ran, 0).Seconds()),
				int(s.Tasks[p.Task].Timeout().Seconds()))
		}
	}
	return fmt.Sprintf("pod %s had not started its program", p.Pod.Name)
}

// noteJobs notes what the MPIJobs wait for that still measure, by node and benchmark.
func (s *Collected) noteJobs() {
	s.jobsWait = map[observe.Attempted]string{}
	for _, g := range observe.InOrder(s.Groups) {
		for _, j := range g.Jobs {
			if j.Ended {
				continue
			}
			for _, name := range g.Names() {
				if key := (observe.Attempted{Node: name, Benchmark: s.Tasks[g.Task].Name()}); s.jobsWait[key] == "" {
					s.jobsWait[key] = cmp.Or(j.waits, groupRuns(s.Tasks[g.Task].Name(), g.Others(name), j.Name))
				}
			}
		}
	}
}

// Cuts are the attempts that the deadline cuts short now. What they waited for can be told only while their pods and MPIJobs exist.
func (s *Collected) Cuts() map[observe.Attempted]string {
	if !s.Overdue() {
		return nil
	}
	cuts := map[observe.Attempted]string{}
	for _, n := range s.Nodes {
		for _, p := range n.Pods {
			if p.Task >= 0 && !p.Ended {
				cuts[observe.Attempted{Node: n.Name, Benchmark: s.Tasks[p.Task].Name()}] = s.WaitedFor(n, p.Task)
			}
		}
	}
	for key := range s.jobsWait {
		cuts[key] = s.WaitedFor(s.node(key.Node), s.TaskNamed(key.Benchmark))
	}
	return cuts
}

func groupRuns(benchmark, others, job string) string {
	return fmt.Sprintf("%s is measuring the node with %s (MPIJob %s)", benchmark, others, job)
}
