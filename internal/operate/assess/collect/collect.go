// Package collect turns what ended pods and MPIJobs left into attempts of the results of nodes and groups.
package collect

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/quantity"
)

// Collect turns what ended pods and MPIJobs left behind into attempts of the results of nodes and groups.
func Collect(o *observe.Observed) *Collected {
	s := &Collected{Observed: o, Groups: make(map[string]*CollectedGroup, len(o.Groups)), Leftovers: o.Leftovers, Anew: observe.StartedAnew{}, Recheck: o.Recheck}
	for _, n := range o.Nodes {
		pods := list.Map(n.Pods, func(p *observe.ObservedPod) *CollectedPod { return &CollectedPod{ObservedPod: p} })
		s.Nodes = append(s.Nodes, &CollectedNode{ObservedNode: n, Record: Record{Result: n.Stored}, Pods: pods, Ending: n.Ending})
	}
	for id, g := range o.Groups {
		jobs := list.Map(g.Jobs, func(j *observe.ObservedJob) *CollectedJob { return &CollectedJob{ObservedJob: j} })
		s.Groups[id] = &CollectedGroup{ObservedGroup: g, Record: Record{Result: g.Stored}, Jobs: jobs}
	}
	for _, n := range s.Nodes {
		for _, p := range n.currentFirst() {
			s.collectPod(n, p)
		}
	}
	for _, g := range observe.InOrder(s.Groups) {
		for _, j := range g.Jobs {
			s.collectJob(g, j)
		}
	}
	s.noteJobs()
	s.cutOff()
	return unmeasured(s)
}

// node of the run; nil where it is none.
func (s *Collected) node(name string) *CollectedNode { return observe.Find(s.Nodes, name) }

// currentFirst are the pods, those of the node that is there before those of one that had its name: where nothing could be stored of that for long, both have
// the same attempt, and one result is of one node.
func (n *CollectedNode) currentFirst() []*CollectedPod {
	if len(n.Pods) < 2 {
		return n.Pods
	}
	current := func(p *CollectedPod) bool { return n.Node != nil && p.NodeUID == n.Node.UID }
	return slices.SortedStableFunc(slices.Values(n.Pods), func(a, b *CollectedPod) int { return list.Before(current(a), current(b)) })
}

func (s *Collected) collectPod(n *CollectedNode, p *CollectedPod) {
	if p.Task < 0 || p.Attempt < 1 || p.Attempt > plan.MaxAttempts {
		p.Ended = true
		return
	}
	t := s.Tasks[p.Task]
	a, ok := v1alpha1.Attempt{}, false
	if stored := numbered(n.Attempts(t.Name()), p.Attempt); stored == nil {
		a, ok = s.attempt(n, p, t)
	} else {
		p.Ended = true
		a, ok = s.late(n, p, stored)
	}
	if !ok {
		return
	}
	a.Pod, a.PodUID = p.Pod.Name, p.Pod.UID
	t.Launched(&a, p.Pod.CreationTimestamp.Time, p.Pod.Annotations[v1alpha1.AnnotationConfiguration], nil)
	a.Machine = t.MachineThen(n.Node, p.NodeUID, nil, p.Pod.Annotations[v1alpha1.AnnotationMachine])
	n.add(s.Run, p.NodeUID, t.Name(), a)
	p.Ended = true
}

// late is what a pod found whose attempt was given up: a leader that had stalled, or had not seen it for long, stored that nothing would come of it.
func (s *Collected) late(n *CollectedNode, p *CollectedPod, stored *v1alpha1.Attempt) (a v1alpha1.Attempt, ok bool) {
	if stored.StartTime != nil || n.Result.Node.UID != p.NodeUID || !workload.HasEnded(p.Pod) {
		return v1alpha1.Attempt{}, false
	}
	t := s.Tasks[p.Task]
	a = left(p, t, workload.Observe(p.Pod, t.Timeout(), s.Now), s.Now)
	return a, foundSome(a)
}

// foundSome: the program has ended, and left what says when it ran.
func foundSome(a v1alpha1.Attempt) bool {
	return a.Verdict != v1alpha1.VerdictError && result.Bounded(a, 0).StartTime != nil
}

// left by a pod that had ended by now.
func left(p *CollectedPod, t observe.Task, o workload.Observation, now time.Time) v1alpha1.Attempt {
	a := attemptOf(o, p.Attempt, held{workload.GPUsOf(p.Pod), now.Sub(p.Pod.CreationTimestamp.Time)})
	a.Telemetry = worthKeeping(a.Telemetry, t.Metrics, a.Measurements)
	return a
}

// attempt reads what a pod found; ok is false while it goes on.
func (s *Collected) attempt(n *CollectedNode, p *CollectedPod, t observe.Task) (a v1alpha1.Attempt, ok bool) {
	o := workload.Observe(p.Pod, t.Timeout(), s.Now)
	if l := s.overtakes(n, p.Pod); l != nil && n.Node.UID == p.NodeUID && foundNothing(o, p.Attempt) {
		why, again := s.makeWay(l, p.Attempt, p.Pod.Name, p.Pod.UID, "pod "+p.Pod.Name)
		if again {
			p.makesWay, p.Waits = why, why
		}
		return v1alpha1.Attempt{Number: p.Attempt, Verdict: v1alpha1.VerdictError, Reason: l.reason(), Message: why}, !again
	}
	if !o.Ended {
		p.Waits = o.Message
		list.Sooner(&s.Recheck, o.Recheck)
		return s.interrupted(n, p, o)
	}
	a = left(p, t, o, s.Now)
	// A pod that somebody deleted while it ran says nothing about the node: the attempt is started again.
	if p.Pod.DeletionTimestamp != nil && a.Verdict == v1alpha1.VerdictError {
		p.Waits = s.deleted(p.Attempt, "pod "+p.Pod.Name)
		return v1alpha1.Attempt{}, false
	}
	return a, true
}

// attemptOf reads the result document that an ended pod left, or says why there is none.
func attemptOf(o workload.Observation, number int32, h held) v1alpha1.Attempt {
	a := v1alpha1.Attempt{Number: number, Verdict: v1alpha1.VerdictError, Reason: o.Reason, Message: o.Message}
	ran := o.Finished.Sub(o.Started)
	if e, err := result.Decode(o.Termination); err == nil {
		a, ran = e.Attempt(number), e.End.Sub(e.Start)
	} else if o.Reason == v1alpha1.ReasonNoOutput && o.Termination != "" {
		a.Reason, a.Message = v1alpha1.ReasonBadOutput, quantity.Clip("the termination message cannot be read: "+err.Error(), message.Longest)
	}
	a.ImageID = quantity.Clip(o.ImageID, 512)
	if a.StartTime == nil && !o.Started.IsZero() {
		a.StartTime, a.EndTime = &metav1.Time{Time: o.Started}, &metav1.Time{Time: o.Finished}
	}
	if a.StartTime != nil {
		a.Cost = h.cost(ran, a.Telemetry)
	}
	return a
}

// interrupted gives up a pod whose node is gone, or that waits although the run is not to wait.
func (s *Collected) interrupted(n *CollectedNode, p *CollectedPod, o workload.Observation) (v1alpha1.Attempt, bool) {
	a := v1alpha1.Attempt{Number: p.Attempt, Verdict: v1alpha1.VerdictError}
	reason, message, wait := n.Facts.Unavailable(s.Now)
	switch {
	case n.Facts.Lost || n.Facts.Recreated || n.Facts.GivenUp(s.Now):
		a.Reason, a.Message = reason, message
		return a, true
	case !wait.IsZero():
		list.Sooner(&s.Recheck, wait)
	case asksTooMuch(s.Tasks[p.Task], n, p):
		if l := n.Lacks[p.Task]; l.Waits() {
			p.Waits = l.Wait().For
			break
		}
		b := s.Tasks[p.Task].Benchmark
		offered := workload.Devices(b, n.Node)
		p.Waits = fmt.Sprintf("node %s offers %d %s, and pod %s asks for %d: attempt %d starts again", n.Name, offered.Value(), b.Spec.Needs.DeviceResource,
			p.Pod.Name, workload.GPUsOf(p.Pod), p.Attempt)
		p.makesWay = p.Waits
	case o.Reason == v1alpha1.ReasonNodeBusy && observe.SkipsBusy(s.Run):
		limit := p.Pod.CreationTimestamp.Add(workload.ScheduleGrace)
		if s.Now.Before(limit) {
			list.Sooner(&s.Recheck, limit)
			break
		}
		a.Verdict, a.Reason, a.Message = v1alpha1.VerdictSkipped, o.Reason, o.Message
		return a, true
	}
	return v1alpha1.Attempt{}, false
}

// asksTooMuch: the node has lost devices since the pod was made, so that no scheduler ever places it.
func asksTooMuch(t observe.Task, n *CollectedNode, p *CollectedPod) bool {
	if p.Pod.Spec.NodeName != "" || n.Node == nil || n.Node.UID != p.NodeUID {
		return false
	}
	offered := workload.Devices(t.Benchmark, n.Node)
	return workload.GPUsOf(p.Pod) > offered.Value()
}

// edit returns the node's result for writing, a copy made at the first call. The result belongs to the node that the
// pod measured, whatever bears its name now.
func (n *CollectedNode) edit(run *v1alpha1.ValidationRun, uid string) *v1alpha1.ValidationResult {
	switch {
	case n.Result == nil:
		n.Replace(n.NewResult(run, uid))
	case !n.Changed:
		n.Replace(n.Packed.Whole().DeepCopy())
	}
	return n.Result
}

// add an attempt to the node's result, in place of one of the same number that was given up.
func (n *CollectedNode) add(run *v1alpha1.ValidationRun, uid types.UID, benchmark string, a v1alpha1.Attempt) {
	r := n.edit(run, string(uid))
	b := n.Benchmark(benchmark)
	if b == nil {
		r.Benchmarks = append(r.Benchmarks, v1alpha1.BenchmarkResult{Name: benchmark, Verdict: v1alpha1.VerdictPending})
		b = &r.Benchmarks[len(r.Benchmarks)-1]
	}
	addTo(b, result.Bounded(a, result.Size(r)))
}

func addTo(b *v1alpha1.BenchmarkResult, a v1alpha1.Attempt) {
	if given := numbered(b.Attempts, a.Number); given != nil {
		*given = a
		return
	}
	b.Attempts = append(b.Attempts, a)
}

// deleted says what becomes of an attempt whose pod or MPIJob was deleted while it ran: by the run itself, or by somebody else.
func (s *Collected) deleted(attempt int32, source string) string {
	if s.Run.Spec.Suspend || s.Overdue() {
		return fmt.Sprintf("attempt %d was stopped; %s is being removed", attempt, source)
	}
	return fmt.Sprintf("somebody deleted %s while it was running: attempt %d starts again once it is gone", source, attempt)
}
