package assess

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/operate/tournament"
	"github.com/assay-dev/assay/internal/quantity"
)

// collectGroups turns what ended MPIJobs left behind into attempts of the groups' results.
func (s *Collected) collectGroups() {
	for _, g := range inOrder(s.groups) {
		for _, j := range g.jobs {
			s.collectJob(g, j)
		}
	}
	s.noteJobs()
}

func (s *Collected) collectJob(g *collectedGroup, j *collectedJob) {
	if g.has(j) {
		j.ended = true
		return
	}
	o := s.observeJob(g, j)
	if !o.Ended {
		soon(&s.recheck, o.Recheck)
		return
	}
	a := attemptOf(o, j.attempt)
	tournament.NameSize(s.tasks[g.task].Benchmark, s.tasks[g.task].Metrics, &a, len(g.nodes))
	// A job that somebody deleted while it ran says nothing about its nodes: the attempt is started again.
	if j.terminating && a.Verdict == v1alpha1.VerdictError {
		j.waits = s.deleted(j.attempt, "MPIJob "+j.name)
		return
	}
	if o.Reason == v1alpha1.ReasonNodeBusy {
		j.busy = o.Message
		if j.givenUp = s.run.Spec.BusyNodes != v1alpha1.BusySkip; j.givenUp {
			return
		}
		a.Verdict = v1alpha1.VerdictSkipped
	}
	s.silent = s.silent || o.Reason == v1alpha1.ReasonMPIOperatorSilent
	a.Pod, a.Round = j.name, j.round
	a.PodUID = j.uid
	if len(j.machines) == len(g.nodes)*len(nodevalidation.Seal(v1alpha1.Machine{})) {
		a.Machines = j.machines
	}
	s.tasks[g.task].launched(&a, j.facts.Created, j.made, s.fabricOf(g.observedGroup))
	s.addAttempt(g, a)
	j.ended = true
}

// has: a job's attempt is stored, or it is that of none.
func (g *collectedGroup) has(j *collectedJob) bool {
	stored := slices.ContainsFunc(g.attempts(), func(a v1alpha1.Attempt) bool { return a.Number == j.attempt })
	return stored || len(g.nodes) == 0 || j.attempt < 1 || j.attempt > plan.MaxAttempts
}

// observeJob says how a job fares, with what befell its nodes.
func (s *Collected) observeJob(g *collectedGroup, j *collectedJob) workload.Observation {
	o := workload.ObserveJob(j.facts, s.now)
	j.waits = o.Message
	lost := s.lostMember(g)
	switch {
	case lost == nil:
		return s.overtaken(g, j, o)
	case !o.Ended || o.Reason == v1alpha1.ReasonNodeBusy:
		return *lost
	}
	return o
}

// lostMember gives up a job one of whose nodes is gone or will not come back.
func (s *Collected) lostMember(g *collectedGroup) *workload.Observation {
	for _, ref := range g.nodes {
		n := s.node(ref.Name)
		if n.node == nil || n.node.UID != ref.UID || n.facts.GivenUp(s.now) {
			reason, why, _ := n.facts.Unavailable(s.now)
			return &workload.Observation{Ended: true, Reason: reason, Message: fmt.Sprintf("node %s: %s", ref.Name, why)}
		}
		if reason, _, wait := n.facts.Unavailable(s.now); reason != "" {
			soon(&s.recheck, wait)
		}
	}
	return nil
}

// addAttempt to the group's result, in a copy of what is stored.
func (s *Observed) addAttempt(g *collectedGroup, a v1alpha1.Attempt) {
	if !g.changed {
		g.replace(s.groupResult(g.observedGroup))
	}
	b := &g.result.Benchmarks[0]
	b.Attempts = append(b.Attempts, result.Bounded(a, result.Size(g.result)))
}

// groupResult is a copy of the group's result for writing, or a new one.
func (s *Observed) groupResult(g *observedGroup) *v1alpha1.ValidationResult {
	if g.stored != nil {
		return g.stored.DeepCopy()
	}
	return &v1alpha1.ValidationResult{
		ObjectMeta: metav1.ObjectMeta{
			Name:            g.id,
			Labels:          workload.Labels(s.run),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(s.run, v1alpha1.GroupVersion.WithKind("ValidationRun"))},
		},
		Run:        v1alpha1.ObjectReference{Name: s.run.Name, UID: s.run.UID},
		Group:      &v1alpha1.GroupReference{Nodes: g.nodes, Members: members(g.nodes)},
		Verdict:    v1alpha1.VerdictPending,
		Benchmarks: []v1alpha1.BenchmarkResult{{Name: s.tasks[g.task].Name(), Verdict: v1alpha1.VerdictPending}},
	}
}

// members of a group, as a table has room for them.
func members(nodes []v1alpha1.ObjectReference) string {
	var names []string
	for _, n := range nodes {
		names = append(names, n.Name)
	}
	return quantity.Clip(message.Nodes(names), message.Longest)
}
