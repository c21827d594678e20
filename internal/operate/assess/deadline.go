package assess

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/operate/tournament"
)

// CleanupGrace is how long a run that is over waits for its last pods; after that it is Finished and says so.
const CleanupGrace = 2 * time.Minute

// began is when the run started, now where it has not, and its deadline. Time suspended does not count.
func began(run *v1alpha1.ValidationRun, now time.Time) (started, deadline time.Time) {
	started = now
	if run.Status.StartTime != nil && !run.Spec.Suspend && !resumed(run) {
		started = run.Status.StartTime.Time
	}
	return started, started.Add(allowed(run))
}

func allowed(run *v1alpha1.ValidationRun) time.Duration {
	return time.Duration(*run.Spec.ActiveDeadlineSeconds) * time.Second
}

// LateToStart: a run that has never started has had its time, counted from its creation.
func LateToStart(run *v1alpha1.ValidationRun, now time.Time) bool {
	return !now.Before(run.CreationTimestamp.Add(allowed(run)))
}

func (s *Observed) overdue() bool { return !s.now.Before(s.deadline) }

// pastCleanup: the run is over, and its last pods had their time to go.
func (s *Observed) pastCleanup() bool { return !s.now.Before(s.deadline.Add(CleanupGrace)) }

// closed says why nothing more can be started on a node for a task; ok is false where something can, or may yet.
func (s *Collected) closed(n *collectedNode, i int) (d verdict.Decision, ok bool) {
	d, ok = s.unavailable(n.observedNode)
	if s.overdue() && (!ok || d.Reason == v1alpha1.ReasonNodeBusy) {
		return tournament.TooLate(s.run, s.cut, s.waitedFor(n, i)), true
	}
	return d, ok
}

// waitedFor says what kept a node from being measured by a task when the deadline passed; empty: nothing that is known.
func (s *Collected) waitedFor(n *collectedNode, i int) string {
	if waited := s.cutShort[Attempted{n.name, s.tasks[i].Name()}]; waited != "" {
		return waited
	}
	for _, p := range n.pods {
		if p.task == i && !p.ended {
			return s.podWaited(p)
		}
	}
	_, unavailable, _ := n.facts.Unavailable(s.now)
	return cmp.Or(s.jobWaited(n, i), unavailable, s.awaits(n, i).For, n.busy, n.ending, s.waitedForOthers(n, i))
}

// waitedForOthers says which benchmark or nodes came before a task that was not begun; empty: none did.
func (s *Collected) waitedForOthers(n *collectedNode, i int) string {
	for j := range s.tasks[:i] { // cheapest first: this one was not begun
		if s.cutShort[Attempted{n.name, s.tasks[j].Name()}] != "" || slices.ContainsFunc(n.pods, func(p *collectedPod) bool { return p.task == j && !p.ended }) {
			return fmt.Sprintf("%s, which comes before it on the node, had not ended", s.tasks[j].Name())
		}
	}
	if most := concurrent(s.run.Spec.MaxConcurrentNodes, len(s.nodes)); most < len(s.nodes) && !s.tasks[i].IsGroup() {
		return plan.WaitsForItsTurn(most)
	}
	return ""
}

// podWaited says what a pod waited for when the deadline passed, or how long its program had run.
func (s *Collected) podWaited(p *collectedPod) string {
	if p.waits != "" {
		return p.waits
	}
	for _, c := range p.pod.Status.ContainerStatuses {
		if c.Name == workload.ProgramContainer && c.State.Running != nil {
			// A node's clock may be off: no program ran for longer than its pod exists.
			ran := min(s.deadline.Sub(c.State.Running.StartedAt.Time), s.deadline.Sub(p.pod.CreationTimestamp.Time))
			return fmt.Sprintf("the program had run for %d s (its timeoutSeconds allows %d)", int(max(ran, 0).Seconds()),
				int(s.tasks[p.task].timeout().Seconds()))
		}
	}
	return fmt.Sprintf("pod %s had not started its program", p.pod.Name)
}

// jobWaited says what the MPIJob waited for that measured a node with others; empty: none did.
func (s *Collected) jobWaited(n *collectedNode, i int) string {
	return s.jobsWait[Attempted{n.name, s.tasks[i].Name()}]
}

// noteJobs notes what the MPIJobs wait for that still measure, by node and benchmark.
func (s *Collected) noteJobs() {
	s.jobsWait = map[Attempted]string{}
	for _, g := range inOrder(s.groups) {
		for _, j := range g.jobs {
			if j.ended {
				continue
			}
			for _, name := range g.names() {
				if key := (Attempted{name, s.tasks[g.task].Name()}); s.jobsWait[key] == "" {
					s.jobsWait[key] = cmp.Or(j.waits, groupRuns(s.tasks[g.task].Name(), g.others(name), j.name))
				}
			}
		}
	}
}

// cuts are the attempts that the deadline cuts short now. What they waited for can be told only while their pods and MPIJobs exist.
func (s *Collected) cuts() map[Attempted]string {
	if !s.overdue() {
		return nil
	}
	cuts := map[Attempted]string{}
	for _, n := range s.nodes {
		for _, p := range n.pods {
			if p.task >= 0 && !p.ended {
				cuts[Attempted{n.name, s.tasks[p.task].Name()}] = s.waitedFor(n, p.task)
			}
		}
	}
	for _, g := range s.groups {
		if len(g.jobs) == 0 {
			continue
		}
		for _, name := range g.names() {
			if n := s.node(name); s.jobWaited(n, g.task) != "" {
				cuts[Attempted{name, s.tasks[g.task].Name()}] = s.waitedFor(n, g.task)
			}
		}
	}
	return cuts
}

func groupRuns(benchmark, others, job string) string {
	return fmt.Sprintf("%s is measuring the node with %s (MPIJob %s)", benchmark, others, job)
}
