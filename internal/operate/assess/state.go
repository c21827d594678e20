package assess

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/pack"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// state of a run in one pass: what was read, put in order, and what follows from it so far.
type state struct {
	run      *v1alpha1.ValidationRun
	now      time.Time
	started  time.Time
	deadline time.Time
	// cut is what that deadline is.
	cut      message.Cut
	tasks    []Task
	profiles verdict.Profiles
	// memory of the passes before; nil: there is none.
	memory *Memory
	// knownFleet is what other nodes of the cluster reached; knownAnew: it may not be what the stored verdicts follow from.
	knownFleet []Known
	knownAnew  bool
	// nodes of the run, by name.
	nodes []*Node
	// groups by the names of their results; leftovers are pods of MPIJobs that are gone.
	groups    map[string]*Group
	leftovers []*corev1.Pod
	// cutPods are the pods that nobody waits for: see cutOff.
	cutPods []*corev1.Pod
	// toStore counts the judged nodes whose results this pass is to store.
	toStore int
	// kinds of nodes in the cluster, and since when nodes of the run offer too few devices.
	kinds kinds
	short map[Short]time.Time
	// index of the groups that were measured or have jobs.
	index groupIndex
	// operatorSeen: the newest sign of life of the MPI Operator in this run's MPIJobs; silent: it has left one of them undone.
	operatorSeen time.Time
	silent       bool
	// mpiMissing: the cluster does not know MPIJobs. mpiInterrupted: it did a moment ago, and may again.
	mpiMissing, mpiInterrupted bool
	// elsewhere is what other runs convicted lately.
	elsewhere []taint.Alike
	// cutShort says what attempts waited for that the deadline cut short in earlier passes.
	cutShort map[Attempted]string
	// startedAnew are the pods and MPIJobs that made way for others in earlier passes; anew are those of this one.
	startedAnew, anew StartedAnew
	// jobsWait says what MPIJobs wait for that still measure.
	jobsWait map[Attempted]string
	// taintRefused says why the administrator does not allow the run's taint any more; empty: it is allowed.
	taintRefused string

	// findings about links and sets of nodes.
	findings []v1alpha1.FabricFinding
	breaker  Breaker
	plan     plan.Plan
	// recheck is the earliest time at which the run has to be looked at without a change; zero: none.
	recheck time.Time
}

// Node is one node of the run.
type Node struct {
	name string
	// node is nil where there is none of this name.
	node  *corev1.Node
	facts plan.Facts
	// busy says who else holds the node; ending, which pod of this run's last measurement has still to go.
	busy       string
	ending     string
	peaks      verdict.Peaks
	validation *v1alpha1.NodeValidation
	// history is what was measured on the node before, if it was given; nil where there is none.
	history   *v1alpha1.NodeHistory
	pastGiven bool
	record
	// packed is what stored was unpacked from, as far as anybody asked; nil: there is no result. memory is what is known of it.
	packed *pack.Result
	memory *nodeMemory
	pods   []*Pod
	// lacks says of each task what the node lacks for it; nil: nothing.
	lacks []*lack
	// digests and decisions by task. remembered: the decisions are those of its memory.
	digests    []*verdict.Digest
	decisions  []verdict.Decision
	remembered bool
	// changes by task since the node passed before; nil: nothing is known.
	changes []*changed
	// unavailable says why the node, which takes part in the group benchmark that is judged, cannot be measured any more; nil: it can.
	unavailable *verdict.Decision
	// grouped are the attempts of group benchmarks, made from those of the groups.
	grouped [][]v1alpha1.Attempt

	verdict         v1alpha1.Verdict
	reason, message string
	// postponed: the verdict is stored by a later pass.
	postponed bool
	// note is what was, or was not, done about the verdict, and what the node still owes; for its row.
	note string
	// carriesTaint: the node carries Assay's taint, as the writes found out; nil: as it was read.
	carriesTaint *bool
}

// Pod is one pod of the run.
type Pod struct {
	pod *corev1.Pod
	// nodeUID, task and attempt as its name proves them; task is -1 where it is that of no attempt.
	nodeUID types.UID
	task    int
	attempt int32
	// ended: its attempt is in the result.
	ended bool
	// waits says why it does not run yet; makesWay, why it goes for another one of its attempt.
	waits, makesWay string
}

// record is a result of the run, of a node or a group.
type record struct {
	// stored is the result in the cluster, nil for none; result is what it is to become.
	stored, result *v1alpha1.ValidationResult
	// changed: result has to be written.
	changed bool
}

// replace what the result is to become.
func (r *record) replace(next *v1alpha1.ValidationResult) {
	r.result, r.changed = next, true
}

// recheckAt remembers the earliest time at which the run has to be looked at; zero: none.
func (s *state) recheckAt(at time.Time) {
	if !at.IsZero() && (s.recheck.IsZero() || at.Before(s.recheck)) {
		s.recheck = at
	}
}

// final: there is a verdict and nothing more to measure.
func (n *Node) final() bool { return n.verdict != v1alpha1.VerdictPending }

// attempts stored for a task.
func (n *Node) attempts(name string) []v1alpha1.Attempt {
	if b := n.benchmark(name); b != nil {
		return b.Attempts
	}
	return nil
}

// unpack the stored result, before anybody looks at what was measured.
func (n *Node) unpack() {
	if n.packed == nil || n.stored != n.packed.Head {
		return
	}
	whole := n.packed.Whole()
	if n.result == n.stored {
		n.result = whole
	}
	n.stored = whole
}

// pack lets go of what was measured, unless it is to be written: thousands of results at once would be a thousand times their packed size.
func (n *Node) pack() {
	if n.packed != nil && !n.changed {
		n.stored, n.result = n.packed.Head, n.packed.Head
	}
}

func (n *Node) benchmark(name string) *v1alpha1.BenchmarkResult {
	if n.result == nil {
		return nil
	}
	return n.result.Benchmark(name)
}

// tainted: the node carries the taint that Assay remembers to have put there.
func (n *Node) tainted() bool {
	if n.carriesTaint != nil {
		return *n.carriesTaint
	}
	return n.node != nil && n.validation != nil && taint.Carries(n.node, n.validation.Quarantine)
}

func (n *Node) label(key string) string {
	if n.node == nil {
		return ""
	}
	return n.node.Labels[key]
}

// node of the run; nil where it is none.
func (s *state) node(name string) *Node {
	i, found := slices.BinarySearchFunc(s.nodes, name, func(n *Node, name string) int { return cmp.Compare(n.name, name) })
	if !found {
		return nil
	}
	return s.nodes[i]
}
