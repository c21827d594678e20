package assess

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/plan"
)

// Collected is what was observed, with the attempts that ended pods and MPIJobs left.
type Collected struct {
	*Observed
	nodes  []*collectedNode
	groups map[string]*collectedGroup
	// leftovers are those that somebody waits for; cutPods are the pods that nobody does: see cutOff.
	leftovers, cutPods []*corev1.Pod
	// silent: the MPI Operator has left one of the MPIJobs undone.
	silent bool
	// anew are the pods and MPIJobs that make way for others.
	anew StartedAnew
	// jobsWait says what MPIJobs wait for that still measure.
	jobsWait map[Attempted]string
	recheck  time.Time
}

// collectedNode is a node with its result, as it is with all attempts.
type collectedNode struct {
	*observedNode
	record
	pods   []*collectedPod
	ending string
}

// collectedPod is a pod with what it says of its attempt.
type collectedPod struct {
	*observedPod
	// ended: its attempt is in the result.
	ended bool
	// waits says why it does not run yet; makesWay, why it goes for another one of its attempt.
	waits, makesWay string
}

// collectedGroup is a group with its result, as it is with all attempts.
type collectedGroup struct {
	*observedGroup
	record
	jobs []*collectedJob
}

// collectedJob is an MPIJob with what it says of its attempt.
type collectedJob struct {
	*observedJob
	// ended: its attempt is in the result.
	ended bool
	// waits says why it does not measure yet; makesWay, why it goes for another one of its attempt.
	waits, makesWay string
	// busy says which worker cannot be placed, and so why the job ends; givenUp, that the group is to wait and be started again.
	busy    string
	givenUp bool
}

func (g *collectedGroup) attempts() []v1alpha1.Attempt { return attemptsOf(g.result) }

// host is the kind of machine that was measured. Its result tells it: the node may be gone before the rest of the fleet is measured.
// Results of earlier versions do not, and only the same node can stand in for them.
func (n *collectedNode) host() string {
	if n.result.Host == "" && n.node != nil && n.node.UID == n.result.Node.UID {
		return hostOf(n.node)
	}
	return n.result.Host
}

// podsOf are a node's pods of a task, for the planner. One that is of no task counts for the first, so that it is looked after.
func (s *Collected) podsOf(n *collectedNode, i int) []plan.Pod {
	var out []plan.Pod
	for _, p := range n.pods {
		if p.task == i || p.task < 0 && i == 0 {
			out = append(out, plan.Pod{Name: p.pod.Name, Attempt: p.attempt, Ended: p.ended, GivenUp: p.makesWay, Terminating: p.pod.DeletionTimestamp != nil})
		}
	}
	return out
}

// attempts of a task: without what they measured, unless they are to be written.
func (n *collectedNode) attempts(name string) []v1alpha1.Attempt {
	if b := n.benchmark(name); b != nil {
		return b.Attempts
	}
	return nil
}

func (n *collectedNode) benchmark(name string) *v1alpha1.BenchmarkResult {
	if n.result == nil {
		return nil
	}
	return n.result.Benchmark(name)
}

// whole is the result with all that was measured. Nobody keeps it that does not write it: thousands of results at once would be a thousand times their
// packed size.
func (n *collectedNode) whole() *v1alpha1.ValidationResult {
	if n.changed || n.packed == nil {
		return n.result
	}
	return n.packed.Whole()
}

// measuredBy a task: its row with all that was measured; nil: there is none.
func (n *collectedNode) measuredBy(name string) *v1alpha1.BenchmarkResult {
	if n.changed || n.packed == nil {
		return n.benchmark(name)
	}
	return n.packed.Benchmark(name)
}
