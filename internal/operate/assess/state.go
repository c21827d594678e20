package assess

import (
	"cmp"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/pack"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// Observed is what was read of a run, put in order. Nothing changes it once it is complete, as is true of what the other stages make of it.
type Observed struct {
	run      *v1alpha1.ValidationRun
	now      time.Time
	started  time.Time
	deadline time.Time
	// cut is what that deadline is.
	cut      message.Cut
	tasks    []Task
	profiles peak.Profiles
	// memory of the passes before; nil: there is none.
	memory *Memory
	// knownFleet is what other nodes of the cluster reached; knownAnew: it may not be what the stored verdicts follow from.
	knownFleet []Known
	knownAnew  bool
	// nodes of the run, by name.
	nodes []*observedNode
	// groups by the names of their results; leftovers are pods of MPIJobs that are gone.
	groups    map[string]*observedGroup
	leftovers []*corev1.Pod
	// kinds of nodes in the cluster, and since when nodes of the run offer too few devices.
	kinds kinds
	short map[Short]time.Time
	// index of the groups that were measured or have jobs.
	index groupIndex
	// operatorSeen: the newest sign of life of the MPI Operator in this run's MPIJobs.
	operatorSeen time.Time
	// mpiMissing: the cluster does not know MPIJobs. mpiInterrupted: it did a moment ago, and may again.
	mpiMissing, mpiInterrupted bool
	// elsewhere is what other runs convicted lately.
	elsewhere []taint.Alike
	// cutShort says what attempts waited for that the deadline cut short in earlier passes.
	cutShort map[Attempted]string
	// startedAnew are the pods and MPIJobs that made way for others in earlier passes.
	startedAnew StartedAnew
	// taintRefused says why the administrator does not allow the run's taint any more; empty: it is allowed.
	taintRefused string
	// recheck is the earliest time at which the run has to be looked at without a change; zero: none.
	recheck time.Time
}

// observedNode is one node of the run.
type observedNode struct {
	name string
	// node is nil where there is none of this name.
	node  *corev1.Node
	facts plan.Facts
	// busy says who else holds the node; ending, which pod of this run's last measurement has still to go.
	busy       string
	ending     string
	peaks      peak.Peaks
	validation *v1alpha1.NodeValidation
	// stored is the result in the cluster, without what was measured; packed has that too. Nil: there is none.
	stored *v1alpha1.ValidationResult
	packed *pack.Result
	memory *nodeMemory
	pods   []*observedPod
	// lacks says of each task what the node lacks for it; nil: nothing.
	lacks []*lack
}

// observedPod is one pod of the run.
type observedPod struct {
	pod *corev1.Pod
	// nodeUID, task and attempt as its name proves them; task is -1 where it is that of no attempt.
	nodeUID types.UID
	task    int
	attempt int32
}

// observedGroup is one group of nodes and one benchmark, measured now or before.
type observedGroup struct {
	// id is the name of its result.
	id     string
	task   int
	nodes  []v1alpha1.ObjectReference
	stored *v1alpha1.ValidationResult
	jobs   []*observedJob
}

// observedJob is one MPIJob of the run.
type observedJob struct {
	name           string
	uid            types.UID
	made, machines string // the configuration and the machines that it was made for
	attempt, round int32
	terminating    bool
	facts          workload.JobFacts
}

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

// Judged is what was collected, with what follows from it for each node and group.
type Judged struct {
	*Collected
	nodes  []*judgedNode
	groups map[string]*judgedGroup
	// fleets by task; nil of those that measure groups.
	fleets []*verdict.Judge
	// findings about links and sets of nodes.
	findings []v1alpha1.FabricFinding
	// byPast are nodes that this pass judged by their history; lacking are those of them whose history was not given.
	byPast, lacking []string
	recheck         time.Time
}

// judgedNode is a node with its verdict.
type judgedNode struct {
	*collectedNode
	record
	// digests and decisions by task. remembered: the decisions are those of its memory.
	digests    []*fleet.Digest
	decisions  []verdict.Decision
	remembered bool
	// changes by task since the node passed before; nil: nothing is known.
	changes []*changed
	// grouped are the attempts of group benchmarks, made from those of the groups.
	grouped [][]v1alpha1.Attempt

	verdict         v1alpha1.Verdict
	reason, message string
	// postponed: the verdict is stored by a later pass.
	postponed bool
}

// judgedGroup is a group with what its result is to say.
type judgedGroup struct {
	*collectedGroup
	record
	// due: an attempt is, in this round of the tournament (0: none).
	due    bool
	round  int32
	reason string
}

// Planned is what was judged, with what is to be done about it.
type Planned struct {
	*Judged
	plan    plan.Plan
	breaker Breaker
	recheck time.Time
}

// Concluded is what was planned, with what the writes found out.
type Concluded struct {
	*Planned
	nodes   []*concludedNode
	plan    plan.Plan
	recheck time.Time
}

// concludedNode is a node as it is once the writes are done.
type concludedNode struct {
	*judgedNode
	verdict         v1alpha1.Verdict
	reason, message string
	// note is what was, or was not, done about the verdict, and what the node still owes; for its row.
	note string
	// carriesTaint: the node carries Assay's taint.
	carriesTaint bool
}

// record is what a result of the run, of a node or a group, is to become.
type record struct {
	result *v1alpha1.ValidationResult
	// changed: it has to be written, and has all that was measured.
	changed bool
}

// replace what the result is to become.
func (r *record) replace(next *v1alpha1.ValidationResult) {
	r.result, r.changed = next, true
}

// own gives the record a result that nobody else has, if it has one to be written.
func (r *record) own() {
	if r.changed {
		r.result = r.result.DeepCopy()
	}
}

// soon remembers the earliest time at which the run has to be looked at; zero: none.
func soon(recheck *time.Time, at time.Time) {
	if !at.IsZero() && (recheck.IsZero() || at.Before(*recheck)) {
		*recheck = at
	}
}

// inOrder are the values of a table by their keys, in an order that is the same in every pass.
func inOrder[V any](table map[string]V) []V {
	out := make([]V, 0, len(table))
	for _, key := range slices.Sorted(maps.Keys(table)) {
		out = append(out, table[key])
	}
	return out
}

// find a node of the run by its name; the zero value where it is none.
func find[N interface{ is() string }](nodes []N, name string) (n N) {
	i, found := slices.BinarySearchFunc(nodes, name, func(n N, name string) int { return cmp.Compare(n.is(), name) })
	if !found {
		return n
	}
	return nodes[i]
}

func (n *observedNode) is() string { return n.name }

// final: there is a verdict and nothing more to measure.
func (n *judgedNode) final() bool { return n.verdict != v1alpha1.VerdictPending }

func (n *concludedNode) final() bool { return n.verdict != v1alpha1.VerdictPending }

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

// tainted: the node carries the taint that Assay remembers to have put there.
func (n *observedNode) tainted() bool {
	return n.node != nil && n.validation != nil && taint.Carries(n.node, n.validation.Quarantine)
}

func (n *concludedNode) tainted() bool { return n.carriesTaint }
