package assess

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/operate/tournament"
)

// sortedGroups are the groups in an order that is the same in every pass.
func (s *state) sortedGroups() []*Group {
	out := make([]*Group, 0, len(s.groups))
	for _, id := range slices.Sorted(maps.Keys(s.groups)) {
		out = append(out, s.groups[id])
	}
	return out
}

// collectGroups turns what ended MPIJobs left behind into attempts of the groups' results.
func (s *state) collectGroups() {
	for _, g := range s.sortedGroups() {
		for _, j := range g.jobs {
			s.collectJob(g, j)
		}
	}
	s.noteJobs()
}

func (s *state) collectJob(g *Group, j *Job) {
	if g.collected(j) {
		j.ended = true
		return
	}
	o := s.observeJob(g, j)
	if !o.Ended {
		s.recheckAt(o.Recheck)
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
	s.tasks[g.task].launched(&a, j.facts.Created, j.made, s.fabricOf(g))
	s.addAttempt(g, a)
	j.ended = true
}

// collected: a job's attempt is stored, or it is that of none.
func (g *Group) collected(j *Job) bool {
	stored := slices.ContainsFunc(g.attempts(), func(a v1alpha1.Attempt) bool { return a.Number == j.attempt })
	return stored || len(g.nodes) == 0 || j.attempt < 1 || j.attempt > plan.MaxAttempts
}

// observeJob says how a job fares, with what befell its nodes.
func (s *state) observeJob(g *Group, j *Job) workload.Observation {
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
func (s *state) lostMember(g *Group) *workload.Observation {
	for _, ref := range g.nodes {
		n := s.node(ref.Name)
		if n.node == nil || n.node.UID != ref.UID || n.facts.GivenUp(s.now) {
			reason, why, _ := n.facts.Unavailable(s.now)
			return &workload.Observation{Ended: true, Reason: reason, Message: message.GroupLost(ref.Name, why)}
		}
		if reason, _, wait := n.facts.Unavailable(s.now); reason != "" {
			s.recheckAt(wait)
		}
	}
	return nil
}

// collectUnstartable ends the groups that are due and cannot be started, for trying would only fail again and again: each gets an
// attempt that says so. Then everything is to be judged anew.
func (s *state) collectUnstartable() (some bool) {
	idle := s.operatorIdle()
	s.silent = false // that is no word about the rounds that follow from this: the operator may be back for them
	for _, g := range s.sortedGroups() {
		if !g.due || len(g.jobs) > 0 {
			continue
		}
		reason, why := v1alpha1.ReasonGroupTooLarge, workload.TooLarge(g.nodes)
		if why == "" {
			reason, why = v1alpha1.ReasonMPIOperatorSilent, idle
		}
		if why == "" {
			continue
		}
		some = true
		s.addAttempt(g, v1alpha1.Attempt{Number: int32(len(g.attempts())) + 1, Round: g.round, Verdict: v1alpha1.VerdictError, Reason: reason, Message: why})
	}
	return some
}

// operatorIdle says that the MPI Operator has let as many jobs as ever wait for it pass unnoticed: those held back until it gets
// on would only wait as long, batch after batch. Empty: it has not.
func (s *state) operatorIdle() string {
	jobs := 0
	for _, g := range s.groups {
		jobs += len(g.jobs)
	}
	if !s.silent || !s.operatorSeen.IsZero() || jobs < maxJobsBehind {
		return ""
	}
	return message.OperatorIdle(jobs)
}

// addAttempt to the group's result, in a copy of what is stored.
func (s *state) addAttempt(g *Group, a v1alpha1.Attempt) {
	if !g.changed {
		g.replace(s.groupResult(g))
	}
	b := &g.result.Benchmarks[0]
	b.Attempts = append(b.Attempts, result.Bounded(a, result.Size(g.result)))
}

// groupResult is a copy of the group's result for writing, or a new one.
func (s *state) groupResult(g *Group) *v1alpha1.ValidationResult {
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
		Group:      &v1alpha1.GroupReference{Nodes: g.nodes},
		Verdict:    v1alpha1.VerdictPending,
		Benchmarks: []v1alpha1.BenchmarkResult{{Name: s.tasks[g.task].Name(), Verdict: v1alpha1.VerdictPending}},
	}
}

// storeGroup puts what was concluded about a group into its result.
func (s *state) storeGroup(g *Group, d verdict.Decision) {
	if g.result == nil || d.Verdict == v1alpha1.VerdictPending || !g.changed && g.stored.Verdict == d.Verdict {
		return
	}
	if !g.changed {
		g.replace(g.stored.DeepCopy())
	}
	b := &g.result.Benchmarks[0]
	b.Verdict, b.Reason, b.Message, b.Headline, b.Findings = d.Verdict, d.Reason, d.Message, d.Headline, d.Findings
	b.Curves = curved(d.Curves)
	g.result.Verdict, g.result.Reason, g.result.Message = d.Verdict, d.Reason, d.Message
	result.Fit(g.result)
}
