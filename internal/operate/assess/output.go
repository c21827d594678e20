package assess

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/judge"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
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

// Has says whether a node is one of the run's.
func (o *Output) Has(node string) bool { return o.planned.Node(node) != nil }

// output says what is to be written.
func output(s *Planned) Output {
	out := Output{Leftovers: s.Leftovers, CutShort: s.Cuts(), StartedAnew: s.Anew, ShortSince: s.Short, Breaker: s.breaker, Plan: s.plan, planned: s}
	for _, g := range observe.InOrder(s.Groups) {
		if g.Changed {
			out.Groups = append(out.Groups, ResultWrite{Stored: g.Stored, Result: g.Result, About: "the group " + message.Nodes(g.Names())})
		}
	}
	for _, n := range s.Nodes {
		if n.Changed {
			out.Nodes = append(out.Nodes, ResultWrite{Stored: n.Stored, Result: n.Result, About: "node " + n.Name})
		}
		if n.Actionable() && !s.Run.Spec.Suspend {
			out.Judged = append(out.Judged, JudgedNode{Node: n.Node, Validation: n.Validation, Result: n.Result, Verdict: n.Verdict,
				Judge: func(v *v1alpha1.NodeValidation, h *v1alpha1.NodeHistory) taint.Judgement {
					judged := *n
					judged.CollectedNode = n.Given(v, h)
					return s.judgement(&judged)
				}})
		}
	}
	for _, a := range s.plan.Actions {
		switch {
		case a.Kind == plan.Delete && a.Group != "":
			out.DeleteJobs = append(out.DeleteJobs, s.jobDeletion(a))
		case a.Kind == plan.Delete:
			out.DeletePods = append(out.DeletePods, s.podDeletion(a))
		case a.Group != "":
			out.LaunchJobs = append(out.LaunchJobs, s.jobLaunch(a))
		default:
			out.LaunchPods = append(out.LaunchPods, s.podLaunch(a))
		}
	}
	return out
}

func (s *Planned) judgement(n *judge.JudgedNode) taint.Judgement {
	decisions, measured := slices.Clone(n.Decisions), n.Result
	if !n.Changed {
		measured = n.Whole()
	}
	for i := range decisions {
		if n.Remembered && n.Memory.Tasks[i].By.Fleet != nil {
			decisions[i].Terms = s.TermsOf(n, i)
		}
	}
	j := taint.Judgement{Run: v1alpha1.ObjectReference{Name: s.Run.Name, UID: s.Run.UID}, Result: measured, Time: s.Now,
		Verdict: n.Verdict, Reason: n.Reason, Message: n.Message, BreakerOpen: s.breaker.Open || s.breaker.Early, TaintRefused: s.TaintRefused}
	if f := s.Run.Spec.OnFailure; f != nil && f.Taint != nil {
		j.Taint = &corev1.Taint{Key: f.Taint.Key, Value: f.Taint.Value, Effect: f.Taint.Effect}
		if f.Taint.Scope == v1alpha1.TaintScopeDevice {
			j.Scope = f.Taint.Scope
		}
	}
	for i, d := range decisions {
		t := &s.Tasks[i]
		d.Terms.Held = slices.Concat(d.Terms.Held, s.DevicesHeld(n, i))
		of := nodevalidation.Benchmark{Asked: t.Asked, DeviceResource: t.Benchmark.Spec.Needs.DeviceResource, Fabric: s.FabricAt(n.ObservedNode, i),
			OwnParameters: t.OwnParameters, Metrics: t.Remembered, Cleared: d.Cleared}
		j.Benchmarks = append(j.Benchmarks, taint.Benchmark{Name: t.Name(), Benchmark: of, Overridden: t.Overridden, Verdict: d.Verdict, Terms: d.Terms,
			Findings: d.Findings, NotMissing: n.Lacks[i].NotMissing()})
	}
	return j
}

// podDeletion of a pod that the planner was told of.
func (s *Planned) podDeletion(a plan.Action) PodDeletion {
	n := s.Node(a.Node)
	p := n.Pods[slices.IndexFunc(n.Pods, func(p *collect.CollectedPod) bool { return p.Pod.Name == a.Pod })]
	d := PodDeletion{Pod: p.Pod, Force: p.Ended && workload.Stopped(p.Pod)}
	if p.Ended && p.Task >= 0 && p.Attempt > 0 && n.Result != nil {
		d.After = n.Result.Name
	}
	return d
}

func (s *Planned) jobDeletion(a plan.Action) JobDeletion {
	g := s.Groups[a.Group]
	j := g.Jobs[slices.IndexFunc(g.Jobs, func(j *collect.CollectedJob) bool { return j.Name == a.Pod })]
	d := JobDeletion{Name: j.Name, UID: j.UID, Busy: j.Busy}
	if j.Ended {
		d.After = g.ID
	}
	if j.Busy != "" {
		d.Unplaced = j.Facts.Unplaced()
	}
	return d
}

func (s *Planned) podLaunch(a plan.Action) PodLaunch {
	n := s.Node(a.Node)
	t := s.Tasks[s.TaskNamed(a.Benchmark)]
	return PodLaunch{Task: t, Node: n.Node, Attempt: a.Attempt, Machine: nodevalidation.Seal(t.MachineOf(n.Node, nil)), Quarantine: n.Quarantine(),
		Result: v1alpha1.ResultName(s.Run, n.Name), Stored: n.Stored}
}

func (s *Planned) jobLaunch(a plan.Action) JobLaunch {
	g := s.Groups[a.Group]
	fabric := s.FabricOf(g.ObservedGroup)
	l := JobLaunch{Task: s.Tasks[g.Task], Attempt: a.Attempt, Round: g.Round, Quarantines: map[string]*v1alpha1.Quarantine{}, Result: g.ID, Stored: g.Stored, Fabric: fabric}
	for _, name := range g.Names() {
		n := s.Node(name)
		l.Nodes = append(l.Nodes, n.Node)
		l.Machines += nodevalidation.Seal(l.Task.MachineOf(n.Node, fabric))
		l.Quarantines[name] = n.Quarantine()
	}
	return l
}
