package assess

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/assess/judge"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// Output is what one pass is to write, in this order, which is safe to break off anywhere: results before the pods that hold them are
// deleted, what follows for nodes after the results that justify it, launches last. Every write may be repeated.
type Output struct {
	// Groups and Nodes are results to be stored.
	Groups, Nodes []ResultWrite
	DeletePods    []PodDeletion
	DeleteJobs    []JobDeletion
	// Leftovers are pods of MPIJobs that are gone.
	Leftovers  []*corev1.Pod
	Judged     []JudgedNode
	LaunchPods []PodLaunch
	LaunchJobs []JobLaunch
	Breaker    Breaker
	// CutShort says what attempts wait for that the deadline cuts short: the next passes have to be given it.
	CutShort map[observe.Attempted]string
	// StartedAnew are the pods and MPIJobs that make way for others of the same attempt: the next passes have to be given them.
	StartedAnew observe.StartedAnew
	// ShortSince is when the run first saw nodes offer too few devices that do so now: the next pass has to be given it.
	ShortSince map[observe.Short]time.Time
	// Plan has the reasons of what is launched and deleted, and what each node waits for.
	Plan plan.Plan

	// planned is what the report is made of, with what the writes find out.
	planned *Planned
}

// ResultWrite is a result to be stored.
type ResultWrite struct {
	// Stored is what is in the cluster, nil for none.
	Stored, Result *v1alpha1.ValidationResult
	// About names the node, or the nodes of the group, for an error.
	About string
}

// PodDeletion is a pod of no more use.
type PodDeletion struct {
	Pod *corev1.Pod
	// After is the name of the result that has to be stored before, as it keeps what the pod found; empty: none.
	After string
	// AsSeen: its program had not ended when this was decided, and what it may have found since is not to be lost.
	AsSeen bool
	// Force: its kubelet has said already that all of its containers have ended. A pod of which it has not keeps the node's devices.
	Force bool
}

// JobDeletion is an MPIJob of no more use.
type JobDeletion struct {
	Name string
	UID  types.UID
	// After is the name of the result that has to be stored before; empty: none.
	After string
	// AsSeen, if not empty, is the version of the job by which this was decided: its launcher had not ended, and what that may have found since is not to be lost.
	AsSeen string
	// Unplaced are nodes on which the job found no room, and Busy says why: the next job would wait there as well.
	Unplaced []string
	Busy     string
}

// JudgedNode is a node that has a verdict from which something may follow.
type JudgedNode struct {
	Node       *corev1.Node
	Validation *v1alpha1.NodeValidation
	// Result that the judgement rests on, which must be stored as it is judged: to look at, not to be written.
	Result  *v1alpha1.ValidationResult
	Verdict v1alpha1.Verdict
	// Judge the node, with all that was measured and is known of it. It changes nothing: the writes judge nodes at the same time.
	Judge func(*v1alpha1.NodeValidation, *v1alpha1.NodeHistory) taint.Judgement
}

// PodLaunch is an attempt on one node.
type PodLaunch struct {
	Task       observe.Task
	Node       *corev1.Node
	Attempt    int32
	Machine    string // that the node is now
	Quarantine *v1alpha1.Quarantine
	// Result is the name of the node's result, and Stored what is known of it, nil for none: if the cluster has another one, somebody
	// else measures.
	Result string
	Stored *v1alpha1.ValidationResult
}

// JobLaunch is an attempt on a group of nodes.
type JobLaunch struct {
	Task           observe.Task
	Nodes          []*corev1.Node
	Attempt, Round int32
	Machines       string // that the nodes are now
	Fabric         *v1alpha1.Fabric
	// Quarantines of the nodes, by name.
	Quarantines map[string]*v1alpha1.Quarantine
	Result      string
	Stored      *v1alpha1.ValidationResult
}

// Names of the group's nodes, for an error.
func (l JobLaunch) Names() string {
	return message.Nodes(list.Map(l.Nodes, func(n *corev1.Node) string { return n.Name }))
}

// NodeCount is how many nodes the run has.
func (o *Output) NodeCount() int { return len(o.planned.Nodes) }

// LeftOut are the nodes that have a verdict before anything is measured: those that the run names, and all where no other is left.
func (o *Output) LeftOut() []string {
	pending := func(n *judge.JudgedNode) bool { return n.Verdict == v1alpha1.VerdictPending }
	names := o.planned.Run.Spec.NodeNames
	if !slices.ContainsFunc(o.planned.Nodes, pending) {
		names = list.Map(o.planned.Nodes, (*judge.JudgedNode).Key)
	}
	return list.Where(names, func(name string) bool { return !pending(o.planned.Node(name)) })
}

// Has says whether a node is one of the run's.
func (o *Output) Has(node string) bool { return o.planned.Node(node) != nil }
