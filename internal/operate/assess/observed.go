package assess

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/judge/summary"
	"github.com/assay-dev/assay/internal/measure/workload"
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
	cut      summary.Cut
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
	// history is what was measured on the node before, if it was given; nil where there is none.
	history   *v1alpha1.NodeHistory
	pastGiven bool
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

// tainted: the node carries the taint that Assay remembers to have put there.
func (n *observedNode) tainted() bool {
	return n.node != nil && n.validation != nil && taint.Carries(n.node, n.validation.Quarantine)
}
