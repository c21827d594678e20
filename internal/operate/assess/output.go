package assess

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
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
	CutShort map[Attempted]string
	// StartedAnew are the pods and MPIJobs that make way for others of the same attempt: the next passes have to be given them.
	StartedAnew StartedAnew
	// ShortSince is when the run first saw nodes offer too few devices that do so now: the next pass has to be given it.
	ShortSince map[Short]time.Time
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
	// Force: its kubelet has said already that all of its containers have ended. A pod of which it has not keeps the node's devices.
	Force bool
}

// JobDeletion is an MPIJob of no more use.
type JobDeletion struct {
	Name string
	UID  types.UID
	// After is the name of the result that has to be stored before; empty: none.
	After string
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
	// Made is the judgement where it is made already; nil: Judge makes it, of node and run.
	Made *taint.Judgement
	node *judgedNode
	run  *Planned
}

// Judge the node, with all that was measured and is known of it. It changes nothing: the writes judge nodes at the same time.
func (j JudgedNode) Judge(v *v1alpha1.NodeValidation, h *v1alpha1.NodeHistory) taint.Judgement {
	if j.Made != nil {
		return *j.Made
	}
	observed := *j.node.observedNode
	observed.validation, observed.history, observed.pastGiven = v, h, true
	collected := *j.node.collectedNode
	collected.observedNode = &observed
	judged := *j.node
	judged.collectedNode = &collected
	return j.run.judgement(&judged)
}

// PodLaunch is an attempt on one node.
type PodLaunch struct {
	Task       Task
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
	Task           Task
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
	names := make([]string, len(l.Nodes))
	for i, n := range l.Nodes {
		names[i] = n.Name
	}
	return message.Nodes(names)
}

// NodeCount is how many nodes the run has.
func (o *Output) NodeCount() int { return len(o.planned.nodes) }

// Has says whether a node is one of the run's.
func (o *Output) Has(node string) bool { return o.planned.node(node) != nil }

// output says what is to be written.
func output(s *Planned) Output {
	out := Output{Leftovers: s.leftovers, CutShort: s.cuts(), StartedAnew: s.anew, ShortSince: s.short, Breaker: s.breaker, Plan: s.plan, planned: s}
	for _, g := range inOrder(s.groups) {
		if g.changed {
			out.Groups = append(out.Groups, ResultWrite{Stored: g.stored, Result: g.result, About: "the group " + message.Nodes(g.names())})
		}
	}
	for _, n := range s.nodes {
		if n.changed {
			out.Nodes = append(out.Nodes, ResultWrite{Stored: n.stored, Result: n.result, About: "node " + n.name})
		}
		if n.actionable() && !s.run.Spec.Suspend {
			out.Judged = append(out.Judged, JudgedNode{Node: n.node, Validation: n.validation, Result: n.result, Verdict: n.verdict,
				node: n, run: s})
		}
	}
	for _, a := range s.plan.Actions {
		switch {
		case a.Kind == plan.Delete && a.Group != "":
			out.DeleteJobs = append(out.DeleteJobs, s.jobDeletion(a)...)
		case a.Kind == plan.Delete:
			out.DeletePods = append(out.DeletePods, s.podDeletion(a)...)
		case a.Group != "":
			out.LaunchJobs = append(out.LaunchJobs, s.jobLaunch(a))
		default:
			out.LaunchPods = append(out.LaunchPods, s.podLaunch(a))
		}
	}
	return out
}

// actionable: the node was measured and judged, and is still the one that was measured.
func (n *judgedNode) actionable() bool {
	return n.final() && !n.postponed && n.node != nil && n.result != nil && n.node.DeletionTimestamp.IsZero() && n.result.Node.UID == n.node.UID &&
		n.verdict != v1alpha1.VerdictSkipped
}

func (s *Planned) judgement(n *judgedNode) taint.Judgement {
	decisions, measured := slices.Clone(n.decisions), n.result
	if !n.changed {
		measured = n.whole()
	}
	for i := range decisions {
		if n.remembered && n.memory.task(i).by.fleet != nil {
			decisions[i].Terms = s.termsOf(n, i)
		}
	}
	j := taint.Judgement{Run: v1alpha1.ObjectReference{Name: s.run.Name, UID: s.run.UID}, Result: measured, Time: s.now,
		Verdict: n.verdict, Reason: n.reason, Message: n.message, BreakerOpen: s.breaker.Open || s.breaker.Early, TaintRefused: s.taintRefused}
	if f := s.run.Spec.OnFailure; f != nil && f.Taint != nil {
		j.Taint = &corev1.Taint{Key: f.Taint.Key, Value: f.Taint.Value, Effect: f.Taint.Effect}
	}
	for i, d := range decisions {
		t := &s.tasks[i]
		d.Terms.Held = slices.Concat(d.Terms.Held, s.devicesHeld(n, i))
		j.Benchmarks = append(j.Benchmarks, taint.Benchmark{Name: t.Name(), Asked: t.Asked, DeviceResource: t.Benchmark.Spec.Needs.DeviceResource, Fabric: s.fabricAt(n.observedNode, i), OwnParameters: t.OwnParameters, Overridden: t.Overridden,
			Verdict: d.Verdict, Terms: d.Terms, Findings: d.Findings, Metrics: t.remembered, Cleared: d.Cleared,
			NotMissing: n.lacks[i].notMissing()})
	}
	return j
}

func (s *Planned) podDeletion(a plan.Action) []PodDeletion {
	n := s.node(a.Node)
	i := slices.IndexFunc(n.pods, func(p *collectedPod) bool { return p.pod.Name == a.Pod })
	if i < 0 {
		return nil
	}
	p, after := n.pods[i], ""
	if p.ended && p.task >= 0 && p.attempt > 0 && n.result != nil {
		after = n.result.Name
	}
	return []PodDeletion{{Pod: p.pod, Force: p.ended && workload.Stopped(p.pod), After: after}}
}

func (s *Planned) jobDeletion(a plan.Action) []JobDeletion {
	g := s.groups[a.Group]
	i := slices.IndexFunc(g.jobs, func(j *collectedJob) bool { return j.name == a.Pod })
	if i < 0 {
		return nil
	}
	j := g.jobs[i]
	d := JobDeletion{Name: j.name, UID: j.uid, Busy: j.busy}
	if j.ended {
		d.After = g.id
	}
	if j.busy != "" {
		d.Unplaced = j.facts.Unplaced()
	}
	return []JobDeletion{d}
}

func (s *Planned) podLaunch(a plan.Action) PodLaunch {
	n := s.node(a.Node)
	l := PodLaunch{Task: s.tasks[s.taskNamed(a.Benchmark)], Node: n.node, Attempt: a.Attempt, Result: v1alpha1.ResultName(s.run, n.name), Stored: n.stored}
	l.Machine = nodevalidation.Seal(l.Task.machineOf(n.node, nil))
	if n.validation != nil {
		l.Quarantine = n.validation.Quarantine
	}
	return l
}

func (s *Planned) jobLaunch(a plan.Action) JobLaunch {
	g := s.groups[a.Group]
	fabric := s.fabricOf(g.observedGroup)
	l := JobLaunch{Task: s.tasks[g.task], Attempt: a.Attempt, Round: g.round, Quarantines: map[string]*v1alpha1.Quarantine{}, Result: g.id, Stored: g.stored, Fabric: fabric}
	for _, name := range g.names() {
		n := s.node(name)
		l.Nodes = append(l.Nodes, n.node)
		l.Machines += nodevalidation.Seal(l.Task.machineOf(n.node, fabric))
		if n.validation != nil {
			l.Quarantines[name] = n.validation.Quarantine
		}
	}
	return l
}
