// Package plan decides what a run does next: which pods to start, which to delete, and when to recheck.
// It reads and writes nothing. The position of a run follows from what exists (pods and stored attempts), so that planning
// twice, or after a crash, gives the same actions.
package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/internal/list"
)

// Snapshot is all that the planner knows of a run.
type Snapshot struct {
	// Suspended: spec.suspend is set.
	Suspended bool
	// Deadline after which nothing is started and everything is stopped.
	Deadline time.Time
	// MaxConcurrent nodes measured at once, at least 1.
	MaxConcurrent int
	// SkipBusy nodes instead of waiting for them.
	SkipBusy bool
	// Nodes of the run, in any order.
	Nodes []Node
	// Groups that are measured or to be measured now, in the order they are to start. They wait until no node has a task of
	// its own left.
	Groups []Group
}

// Group is one benchmark on several nodes at once.
type Group struct {
	// ID of the benchmark and nodes, the same in every pass.
	ID        string
	Benchmark string
	Nodes     []string
	// Wanted: an attempt of this number is due. A group that is not wanted has jobs to be removed.
	Wanted  bool
	Attempt int32
	Reason  string
	// Awaits is what the next attempt is to come after.
	Awaits Wait
	// Jobs of this group that exist.
	Jobs []Pod
}

// Node is one node of the run.
type Node struct {
	Name string
	Facts
	// Busy says why the node is busy: another run measures it, or pods of others hold its devices. Empty: it is not.
	Busy string
	// Awaits is what the node is to offer before a group may start with it.
	Awaits Wait
	// Tasks in the order they are to run, cheapest first.
	Tasks []Task
}

// Wait is for something that may come, up to a time. The zero value: for nothing.
type Wait struct {
	For   string
	Until time.Time
}

// Task is one benchmark on one node.
type Task struct {
	Benchmark string
	// NeedsNotMet says what the node lacks for this benchmark. Empty: nothing.
	NeedsNotMet string
	// Awaits is what the node lacks for it, and may yet have, or what the next attempt is to come after.
	Awaits Wait
	// Decided: the stored attempts give a verdict.
	Decided bool
	// NeedsAttempt: a stored attempt asks for another one; Again says why, where it is not to confirm it.
	NeedsAttempt bool
	Again        string
	// Attempts stored so far.
	Attempts int32
	// Pods of this task that exist, but for those that nobody waits for: see OutOfReach.
	Pods []Pod
}

// Pod is one pod of a task.
type Pod struct {
	Name    string
	Attempt int32
	// Ended: what it found is stored, or is about to be in this pass.
	Ended bool
	// GivenUp says why the pod or job is to go although it found nothing, and to be started again later. Empty: it is not.
	GivenUp string
	// Terminating: somebody has deleted it already.
	Terminating bool
}

// Action is one thing to do, with its reason.
type Action struct {
	Kind      ActionKind
	Node      string
	Benchmark string
	// Attempt to launch.
	Attempt int32
	// Pod to delete, or job of a group.
	Pod string
	// Group that the action is about; Node is empty then.
	Group  string
	Reason string
}

// ActionKind says what an Action does.
type ActionKind string

// The actions.
const (
	Launch ActionKind = "Launch"
	Delete ActionKind = "Delete"
)

// Plan is what to do now.
type Plan struct {
	Actions []Action
	// Active nodes: a pod exists, or is being launched.
	Active int
	// Waiting says, by node, what it waits for.
	Waiting map[string]string
	// Recheck at this time at the latest. Zero: when something changes.
	Recheck time.Time
}

// Next returns what to do at the time now. Deletions come before launches.
func Next(s Snapshot, now time.Time) Plan {
	p := Plan{Waiting: map[string]string{}, Recheck: s.Deadline}
	nodes := slices.SortedFunc(slices.Values(s.Nodes), func(a, b Node) int { return strings.Compare(a.Name, b.Name) })
	stop := stopReason(s, now)
	for _, n := range nodes {
		p.deletePods(n, stop)
	}
	taken := p.deleteJobs(s.Groups, stop, now)
	if stop == "" && p.launch(s, nodes, taken, now) {
		p.launchGroups(s, nodes, taken, now)
	}
	return p
}

// Concurrent is how many nodes are measured at once (spec.maxConcurrentNodes): at least one.
func Concurrent(limit *intstr.IntOrString, nodes int) int {
	if limit == nil {
		return max(1, nodes)
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(limit, nodes, false)
	if err != nil {
		return 1
	}
	return max(1, n)
}

// stopReason is why no pod of the run may go on; empty when it may.
func stopReason(s Snapshot, now time.Time) string {
	switch {
	case s.Suspended:
		return RunSuspended
	case !now.Before(s.Deadline):
		return "the run's deadline has passed"
	}
	return ""
}

// deletePods deletes the pods of a node that are of no more use, and counts the node as active while one exists.
func (p *Plan) deletePods(n Node, stop string) {
	active := false
	for _, t := range n.Tasks {
		for _, pod := range t.Pods {
			active = true
			if pod.Terminating {
				continue
			}
			reason := cmp.Or(stop, pod.GivenUp)
			if pod.Ended {
				reason = attemptStored(pod.Attempt)
			}
			if reason != "" {
				p.Actions = append(p.Actions, Action{Kind: Delete, Node: n.Name, Benchmark: t.Benchmark, Pod: pod.Name, Reason: reason})
			}
		}
	}
	if active {
		p.Active++
	}
}

// candidate is an attempt that could start now, and how late it comes.
type candidate struct {
	Action
	rank int
}

// launch starts what fits into MaxConcurrent: confirmations first, so that a suspect is decided soon, then nodes that have
// begun, then the others by name. It returns whether groups may start: no node has a task of its own left.
func (p *Plan) launch(s Snapshot, nodes []Node, taken map[string]string, now time.Time) (groupsMayStart bool) {
	var candidates []candidate
	groupsMayStart = true
	for _, n := range nodes {
		c, left := p.candidate(n, s, taken, now)
		if left {
			groupsMayStart = false
		}
		if c != nil {
			candidates = append(candidates, *c)
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return a.rank - b.rank })
	for _, c := range candidates {
		if p.Active >= s.MaxConcurrent {
			p.Waiting[c.Node] = WaitsForItsTurn(s.MaxConcurrent)
			continue
		}
		p.Active++
		p.Actions = append(p.Actions, c.Action)
	}
	return groupsMayStart
}

// candidate is the node's next task if it can start now. left: the node has a task of its own to be measured, now or later.
// A node that has none, but a pod that does not go (its process hangs in a driver), keeps only its own groups waiting.
func (p *Plan) candidate(n Node, s Snapshot, taken map[string]string, now time.Time) (c *candidate, left bool) {
	if pod, ok := n.pod(); ok {
		is := "running"
		if pod.Ended || pod.Terminating {
			is = "terminating"
		}
		taken[n.Name] = fmt.Sprintf("its pod %s is still %s", pod.Name, is)
		return nil, slices.ContainsFunc(n.Tasks, func(t Task) bool { return t.NeedsNotMet == "" && !t.Decided })
	}
	t := list.First(n.Tasks, func(t *Task) bool { return t.due() && t.Awaits.For == "" })
	if t == nil {
		return nil, p.awaits(n)
	}
	if taken[n.Name] != "" {
		p.Waiting[n.Name] = "waiting until the group that measures the node is done"
		return nil, true
	}
	if reason, _, wait := n.Unavailable(now); reason != "" {
		if wait.IsZero() {
			return nil, false
		}
		list.Sooner(&p.Recheck, wait)
		p.Waiting[n.Name] = "waiting for the node to become Ready"
		return nil, true
	}
	if n.Busy != "" {
		if s.SkipBusy {
			return nil, false
		}
		list.Sooner(&p.Recheck, now.Add(BusyRecheck))
		p.Waiting[n.Name] = n.Busy
		return nil, true
	}
	c = &candidate{Action{Kind: Launch, Node: n.Name, Benchmark: t.Benchmark, Attempt: t.Attempts + 1, Reason: FirstAttempt}, 2}
	switch {
	case t.NeedsAttempt:
		c.Reason, c.rank = cmp.Or(t.Again, Confirmation(c.Attempt)), 0
	case slices.ContainsFunc(n.Tasks, func(t Task) bool { return t.Attempts > 0 }):
		c.rank = 1
	}
	return c, true
}

// MaxAttempts bounds the attempts of one task: the first, five confirmations at the most, and two to spare.
const MaxAttempts = 8
