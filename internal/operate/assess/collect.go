package assess

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/quantity"
)

// collect turns what ended pods and MPIJobs left behind into attempts of the results of nodes and groups.
func collect(o *Observed) *Collected {
	s := &Collected{Observed: o, groups: make(map[string]*collectedGroup, len(o.groups)), leftovers: o.leftovers, anew: StartedAnew{}, recheck: o.recheck}
	for _, n := range o.nodes {
		c := &collectedNode{observedNode: n, record: record{result: n.stored}, ending: n.ending}
		for _, p := range n.pods {
			c.pods = append(c.pods, &collectedPod{observedPod: p})
		}
		s.nodes = append(s.nodes, c)
	}
	for id, g := range o.groups {
		c := &collectedGroup{observedGroup: g, record: record{result: g.stored}}
		for _, j := range g.jobs {
			c.jobs = append(c.jobs, &collectedJob{observedJob: j})
		}
		s.groups[id] = c
	}
	for _, n := range s.nodes {
		for _, p := range n.pods {
			s.collectPod(n, p)
		}
	}
	s.collectGroups()
	s.cutOff()
	return s
}

// node of the run; nil where it is none.
func (s *Collected) node(name string) *collectedNode { return find(s.nodes, name) }

func (s *Collected) collectPod(n *collectedNode, p *collectedPod) {
	if p.task < 0 || p.attempt < 1 || p.attempt > plan.MaxAttempts {
		p.ended = true
		return
	}
	t := s.tasks[p.task]
	for _, a := range n.attempts(t.Name()) {
		if a.Number == p.attempt {
			p.ended = true
			return
		}
	}
	a, ok := s.attempt(n, p, t)
	if !ok {
		return
	}
	a.Pod, a.PodUID = p.pod.Name, p.pod.UID
	t.launched(&a, p.pod.CreationTimestamp.Time, p.pod.Annotations[v1alpha1.AnnotationConfiguration], nil)
	a.Machine = t.machineThen(n.node, p.nodeUID, nil, p.pod.Annotations[v1alpha1.AnnotationMachine])
	n.add(s.run, p.nodeUID, t.Name(), a)
	p.ended = true
}

// launched notes what orders the attempt among those of all runs, and what it may be compared with: when the API server created the
// pod or MPIJob, the image that ran, and the fabric that it went over. One that was made for another configuration than the run measures is compared
// with nothing.
func (t Task) launched(a *v1alpha1.Attempt, at time.Time, made string, fabric *v1alpha1.Fabric) {
	a.LaunchTime = &metav1.Time{Time: at}
	a.Configuration = workload.Over(workload.Configuration(t.Benchmark, t.Argv, workload.ImageDigest(t.Benchmark, a.ImageID)), fabric)
	if made != workload.Over(t.Configuration, fabric) {
		a.Configuration = quantity.Clip(nodevalidation.OtherConfiguration+made, 64)
	}
}

// attempt reads what a pod found; ok is false while it goes on.
func (s *Collected) attempt(n *collectedNode, p *collectedPod, t Task) (a v1alpha1.Attempt, ok bool) {
	o := workload.Observe(p.pod, t.timeout(), s.now)
	if l := s.overtakes(n, p.pod); l != nil && n.node.UID == p.nodeUID && foundNothing(o, p.attempt) {
		why, again := s.makeWay(l, p.attempt, p.pod.Name, p.pod.UID, "pod "+p.pod.Name)
		if again {
			p.makesWay, p.waits = why, why
		}
		return v1alpha1.Attempt{Number: p.attempt, Verdict: v1alpha1.VerdictError, Reason: l.reason(), Message: why}, !again
	}
	if !o.Ended {
		p.waits = o.Message
		soon(&s.recheck, o.Recheck)
		return s.interrupted(n, p, o)
	}
	a = attemptOf(o, p.attempt)
	a.Telemetry = worthKeeping(a.Telemetry, t.Metrics, a.Measurements)
	// A pod that somebody deleted while it ran says nothing about the node: the attempt is started again.
	if p.pod.DeletionTimestamp != nil && a.Verdict == v1alpha1.VerdictError {
		p.waits = s.deleted(p.attempt, "pod "+p.pod.Name)
		return v1alpha1.Attempt{}, false
	}
	return a, true
}

// attemptOf reads the result document that an ended pod left, or says why there is none.
func attemptOf(o workload.Observation, number int32) v1alpha1.Attempt {
	a := v1alpha1.Attempt{Number: number, Verdict: v1alpha1.VerdictError, Reason: o.Reason, Message: o.Message}
	if e, err := result.Decode(o.Termination); err == nil {
		a = e.Attempt(number)
	} else if o.Reason == v1alpha1.ReasonNoOutput && o.Termination != "" {
		a.Reason, a.Message = v1alpha1.ReasonBadOutput, quantity.Clip("the termination message cannot be read: "+err.Error(), message.Longest)
	}
	a.ImageID = quantity.Clip(o.ImageID, 512)
	if a.StartTime == nil && !o.Started.IsZero() {
		a.StartTime, a.EndTime = &metav1.Time{Time: o.Started}, &metav1.Time{Time: o.Finished}
	}
	return a
}

// interrupted gives up a pod whose node is gone, or that waits although the run is not to wait.
func (s *Collected) interrupted(n *collectedNode, p *collectedPod, o workload.Observation) (v1alpha1.Attempt, bool) {
	a := v1alpha1.Attempt{Number: p.attempt, Verdict: v1alpha1.VerdictError}
	reason, message, wait := n.facts.Unavailable(s.now)
	switch {
	case n.facts.Lost || n.facts.Recreated || n.facts.GivenUp(s.now):
		a.Reason, a.Message = reason, message
		return a, true
	case !wait.IsZero():
		soon(&s.recheck, wait)
	case o.Reason == v1alpha1.ReasonNodeBusy && skipsBusy(s.run):
		limit := p.pod.CreationTimestamp.Add(workload.ScheduleGrace)
		if s.now.Before(limit) {
			soon(&s.recheck, limit)
			break
		}
		a.Verdict, a.Reason, a.Message = v1alpha1.VerdictSkipped, o.Reason, o.Message
		return a, true
	}
	return v1alpha1.Attempt{}, false
}

// edit returns the node's result for writing, a copy made at the first call. The result belongs to the node that the
// pod measured, whatever bears its name now.
func (n *collectedNode) edit(run *v1alpha1.ValidationRun, uid string) *v1alpha1.ValidationResult {
	switch {
	case n.result == nil:
		n.replace(n.newResult(run, uid))
	case !n.changed:
		n.replace(n.packed.Whole().DeepCopy())
	}
	return n.result
}

func (n *collectedNode) add(run *v1alpha1.ValidationRun, uid types.UID, benchmark string, a v1alpha1.Attempt) {
	r := n.edit(run, string(uid))
	b := n.benchmark(benchmark)
	if b == nil {
		r.Benchmarks = append(r.Benchmarks, v1alpha1.BenchmarkResult{Name: benchmark, Verdict: v1alpha1.VerdictPending})
		b = &r.Benchmarks[len(r.Benchmarks)-1]
	}
	b.Attempts = append(b.Attempts, result.Bounded(a, result.Size(r)))
}

// newResult of the node of this name and UID.
func (n *observedNode) newResult(run *v1alpha1.ValidationRun, uid string) *v1alpha1.ValidationResult {
	r := newResult(run, n.name, uid)
	if n.node != nil && n.node.UID == r.Node.UID {
		r.Host = hostOf(n.node)
	}
	return r
}

func newResult(run *v1alpha1.ValidationRun, node, uid string) *v1alpha1.ValidationResult {
	r := &v1alpha1.ValidationResult{
		ObjectMeta: metav1.ObjectMeta{
			Name:            v1alpha1.ResultName(run, node),
			Labels:          workload.Labels(run),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(run, v1alpha1.GroupVersion.WithKind("ValidationRun"))},
		},
		Run:     v1alpha1.ObjectReference{Name: run.Name, UID: run.UID},
		Verdict: v1alpha1.VerdictPending,
	}
	r.Node = v1alpha1.ObjectReference{Name: node, UID: types.UID(uid)}
	return r
}

// deleted says what becomes of an attempt whose pod or MPIJob was deleted while it ran: by the run itself, or by somebody else.
func (s *Collected) deleted(attempt int32, source string) string {
	if s.run.Spec.Suspend || s.overdue() {
		return fmt.Sprintf("attempt %d was stopped; %s is being removed", attempt, source)
	}
	return fmt.Sprintf("somebody deleted %s while it was running: attempt %d starts again once it is gone", source, attempt)
}
