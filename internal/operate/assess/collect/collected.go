package collect

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/plan"
)

// Collected is what was observed, with the attempts that ended pods and MPIJobs left.
type Collected struct {
	*observe.Observed
	Nodes  []*CollectedNode
	Groups map[string]*CollectedGroup
	// Leftovers are those that somebody waits for; cutPods are the pods that nobody does: see cutOff.
	Leftovers, cutPods []*corev1.Pod
	// Silent: the MPI Operator has left one of the MPIJobs undone.
	Silent bool
	// Anew are the pods and MPIJobs that make way for others.
	Anew observe.StartedAnew
	// jobsWait says what MPIJobs wait for that still measure.
	jobsWait map[observe.Attempted]string
	Recheck  time.Time
}

// CollectedNode is a node with its result, as it is with all attempts.
type CollectedNode struct {
	*observe.ObservedNode
	Record
	Pods   []*CollectedPod
	Ending string
}

// CollectedPod is a pod with what it says of its attempt.
type CollectedPod struct {
	*observe.ObservedPod
	// Ended: its attempt is in the result.
	Ended bool
	// Waits says why it does not run yet; makesWay, why it goes for another one of its attempt.
	Waits, makesWay string
}

// CollectedGroup is a group with its result, as it is with all attempts.
type CollectedGroup struct {
	*observe.ObservedGroup
	Record
	Jobs []*CollectedJob
}

// CollectedJob is an MPIJob with what it says of its attempt.
type CollectedJob struct {
	*observe.ObservedJob
	// Ended: its attempt is in the result.
	Ended bool
	// waits says why it does not measure yet; MakesWay, why it goes for another one of its attempt.
	waits, MakesWay string
	// Busy says which worker cannot be placed, and so why the job ends; GivenUp, that the group is to wait and be started again.
	Busy    string
	GivenUp bool
}

// Attempts of the group, as its result is to have them.
func (g *CollectedGroup) Attempts() []v1alpha1.Attempt { return observe.AttemptsOf(g.Result) }

// Given histories of nodes, nil for those that have none. A node that is judged by its past waits until it is given.
func (s *Collected) Given(histories map[string]*v1alpha1.NodeHistory) *Collected {
	given := *s
	given.Nodes = slices.Clone(s.Nodes)
	for i, n := range s.Nodes {
		if h, is := histories[n.Name]; is {
			given.Nodes[i] = n.Given(n.Validation, h)
		}
	}
	return &given
}

// Given what is known of the node.
func (n *CollectedNode) Given(v *v1alpha1.NodeValidation, h *v1alpha1.NodeHistory) *CollectedNode {
	observed, given := *n.ObservedNode, *n
	observed.Validation, observed.History, observed.PastGiven = v, h, true
	given.ObservedNode = &observed
	return &given
}

// host is the kind of machine that was measured. Its result tells it: the node may be gone before the rest of the fleet is measured.
// Results of earlier versions do not, and only the same node can stand in for them.
func (n *CollectedNode) host() string {
	if n.Result.Host == "" && n.Node != nil && n.Node.UID == n.Result.Node.UID {
		return observe.HostOf(n.Node)
	}
	return n.Result.Host
}

// PodsOf are a node's pods of a task, for the planner. One that is of no task counts for the first, so that it is looked after.
func (s *Collected) PodsOf(n *CollectedNode, i int) []plan.Pod {
	var out []plan.Pod
	for _, p := range n.Pods {
		if p.Task == i || p.Task < 0 && i == 0 {
			out = append(out, plan.Pod{Name: p.Pod.Name, Attempt: p.Attempt, Ended: p.Ended, GivenUp: p.makesWay, Terminating: p.Pod.DeletionTimestamp != nil})
		}
	}
	return out
}

// Attempts of a task: without what they measured, unless they are to be written.
func (n *CollectedNode) Attempts(name string) []v1alpha1.Attempt {
	if b := n.Benchmark(name); b != nil {
		return b.Attempts
	}
	return nil
}

// Benchmark is the row of a benchmark in the result, as it is to be; nil: there is none.
func (n *CollectedNode) Benchmark(name string) *v1alpha1.BenchmarkResult {
	if n.Result == nil {
		return nil
	}
	return n.Result.Benchmark(name)
}

// Whole is the result with all that was measured. Nobody keeps it that does not write it: thousands of results at once would be a thousand times their
// packed size.
func (n *CollectedNode) Whole() *v1alpha1.ValidationResult {
	if n.Changed || n.Packed == nil {
		return n.Result
	}
	return n.Packed.Whole()
}

// MeasuredBy a task: its row with all that was measured; nil: there is none.
func (n *CollectedNode) MeasuredBy(name string) *v1alpha1.BenchmarkResult {
	if n.Changed || n.Packed == nil {
		return n.Benchmark(name)
	}
	return n.Packed.Benchmark(name)
}

// Record is what a result of the run, of a node or a group, is to become.
type Record struct {
	Result *v1alpha1.ValidationResult
	// Changed: it has to be written, and has all that was measured.
	Changed bool
}

// Replace what the result is to become.
func (r *Record) Replace(next *v1alpha1.ValidationResult) {
	r.Result, r.Changed = next, true
}

// Own gives the record a result that nobody else has, if it has one to be written.
func (r *Record) Own() {
	if r.Changed {
		r.Result = r.Result.DeepCopy()
	}
}

// Running is the group's job that measures now, nil for none.
func (g *CollectedGroup) Running() *CollectedJob {
	for _, j := range g.Jobs {
		if !j.Ended && !j.Terminating && int(j.Attempt) == len(g.Attempts())+1 {
			return j
		}
	}
	return nil
}
