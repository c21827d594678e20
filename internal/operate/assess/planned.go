package assess

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/judge"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/operate/taint"
)

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
	d := PodDeletion{Pod: p.Pod, AsSeen: !workload.HasEnded(p.Pod), Force: p.Ended && workload.Stopped(p.Pod)}
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
	if j.Facts.MayMeasure() {
		d.AsSeen = j.Version
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
