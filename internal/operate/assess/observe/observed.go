package observe

import (
	"cmp"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/pack"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/internal/operate/tournament"
)

// Observed is what was read of a run, put in order. Nothing changes it once it is complete, as is true of what the other stages make of it.
type Observed struct {
	Input
	Started, Deadline time.Time
	// Nodes of the run, by name.
	Nodes []*ObservedNode
	// Groups by the names of their results; leftovers are pods of MPIJobs that are gone.
	Groups    map[string]*ObservedGroup
	Leftovers []*corev1.Pod
	// kinds of nodes in the cluster, and since when nodes of the run offer too few devices.
	kinds kinds
	Short map[Short]time.Time
	// Index of the groups that were measured or have jobs.
	Index groupIndex
	// OperatorSeen: the newest sign of life of the MPI Operator in this run's MPIJobs.
	OperatorSeen time.Time
	// MPIMissing: the cluster does not know MPIJobs. MPIInterrupted: it did a moment ago, and may again.
	MPIMissing, MPIInterrupted bool
	// Recheck is the earliest time at which the run has to be looked at without a change; zero: none.
	Recheck time.Time
}

// ObservedNode is one node of the run.
type ObservedNode struct {
	Name string
	// Node is nil where there is none of this name.
	Node  *corev1.Node
	Facts plan.Facts
	// Busy says who else holds the node; ending, which pod of this run's last measurement has still to go.
	Busy       string
	Ending     string
	Peaks      peak.Peaks
	Validation *v1alpha1.NodeValidation
	// History is what was measured on the node before, once it is given; nil where there is none.
	History   *v1alpha1.NodeHistory
	PastGiven bool
	// Stored is the result in the cluster, without what was measured; packed has that too. Nil: there is none.
	Stored *v1alpha1.ValidationResult
	Packed *pack.Result
	Memory *nodeMemory
	Pods   []*ObservedPod
	// Lacks says of each task what the node lacks for it; nil: nothing.
	Lacks []*Lack
}

// ObservedPod is one pod of the run.
type ObservedPod struct {
	Pod *corev1.Pod
	// NodeUID, task and attempt as its name proves them; task is -1 where it is that of no attempt.
	NodeUID types.UID
	Task    int
	Attempt int32
}

// ObservedGroup is one group of nodes and one benchmark, measured now or before.
type ObservedGroup struct {
	// ID is the name of its result.
	ID   string
	Task int
	tournament.Nodes
	Stored *v1alpha1.ValidationResult
	Jobs   []*ObservedJob
}

// ObservedJob is one MPIJob of the run.
type ObservedJob struct {
	Name, Version  string
	UID            types.UID
	Made, Machines string // the configuration and the machines that it was made for
	Attempt, Round int32
	Terminating    bool
	Facts          workload.JobFacts
}

// nothing is known of a machine.
var nothing v1alpha1.NodeValidation

// OfMachine is what is known of the node, if it is the same machine still; of another one, nothing.
func (n *ObservedNode) OfMachine() *v1alpha1.NodeValidation {
	if n.Node == nil || n.Validation == nil || n.Validation.Fingerprint.NodeUID != n.Node.UID {
		return &nothing
	}
	return n.Validation
}

// Quarantine on record, whichever node of this name it is of; nil: none.
func (n *ObservedNode) Quarantine() *v1alpha1.Quarantine {
	return cmp.Or(n.Validation, &nothing).Quarantine
}

// Tainted: the node carries the taint that Assay remembers to have put there.
func (n *ObservedNode) Tainted() bool { return n.Node != nil && taint.Carries(n.Node, n.Quarantine()) }
