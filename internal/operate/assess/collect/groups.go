package collect

import (
	"fmt"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/operate/tournament"
)

func (s *Collected) collectJob(g *CollectedGroup, j *CollectedJob) {
	stored := numbered(g.Attempts(), j.Attempt)
	if j.Ended = stored != nil || len(g.Nodes) == 0 || j.Attempt < 1 || j.Attempt > plan.MaxAttempts; j.Ended {
		s.lateJob(g, j, stored)
		return
	}
	o := s.observeJob(g, j)
	if !o.Ended {
		list.Sooner(&s.Recheck, o.Recheck)
		return
	}
	a := s.leftByJob(g, j, o)
	// A job that somebody deleted while it ran says nothing about its nodes: the attempt is started again.
	if j.Terminating && a.Verdict == v1alpha1.VerdictError {
		j.waits = s.deleted(j.Attempt, "MPIJob "+j.Name)
		return
	}
	if o.Reason == v1alpha1.ReasonNodeBusy {
		j.Busy = o.Message
		if j.GivenUp = s.Run.Spec.BusyNodes != v1alpha1.BusySkip; j.GivenUp {
			return
		}
		a.Verdict = v1alpha1.VerdictSkipped
	}
	s.Silent = s.Silent || o.Reason == v1alpha1.ReasonMPIOperatorSilent
	s.addJob(g, j, a)
	j.Ended = true
}

// addJob adds the attempt of a job to its group's result.
func (s *Collected) addJob(g *CollectedGroup, j *CollectedJob, a v1alpha1.Attempt) {
	a.Pod, a.PodUID, a.Round = j.Name, j.UID, j.Round
	if len(j.Machines) == len(g.Nodes)*len(nodevalidation.Seal(v1alpha1.Machine{})) {
		a.Machines = j.Machines
	}
	s.Tasks[g.Task].Launched(&a, j.Facts.Created, j.Made, s.FabricOf(g.ObservedGroup))
	s.AddAttempt(g, a)
}

// lateJob adds what a job found whose attempt was given up, as late does for a pod.
func (s *Collected) lateJob(g *CollectedGroup, j *CollectedJob, stored *v1alpha1.Attempt) {
	if stored == nil || stored.StartTime != nil {
		return
	}
	if a := s.leftByJob(g, j, workload.ObserveJob(j.Facts, s.Now)); foundSome(a) {
		s.addJob(g, j, a)
	}
}

// leftByJob: the attempt of a job that is over.
func (s *Collected) leftByJob(g *CollectedGroup, j *CollectedJob, o workload.Observation) v1alpha1.Attempt {
	a := attemptOf(o, j.Attempt, held{s.gpusOf(g), s.Now.Sub(j.Facts.Created)})
	tournament.NameSize(s.Tasks[g.Task].Benchmark, s.Tasks[g.Task].Metrics, &a, len(g.Nodes))
	return a
}

// numbered is the attempt of this number; nil: there is none.
func numbered(attempts []v1alpha1.Attempt, number int32) *v1alpha1.Attempt {
	i := slices.IndexFunc(attempts, func(a v1alpha1.Attempt) bool { return a.Number == number })
	if i < 0 {
		return nil
	}
	return &attempts[i]
}

// observeJob says how a job fares, with what befell its nodes.
func (s *Collected) observeJob(g *CollectedGroup, j *CollectedJob) workload.Observation {
	o := workload.ObserveJob(j.Facts, s.Now)
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
func (s *Collected) lostMember(g *CollectedGroup) *workload.Observation {
	for _, ref := range g.Nodes {
		n := s.node(ref.Name)
		if n.Node == nil || n.Node.UID != ref.UID || n.Facts.GivenUp(s.Now) {
			reason, why, _ := n.Facts.Unavailable(s.Now)
			return &workload.Observation{Ended: true, Reason: reason, Message: fmt.Sprintf("node %s: %s", ref.Name, why)}
		}
		if reason, _, wait := n.Facts.Unavailable(s.Now); reason != "" {
			list.Sooner(&s.Recheck, wait)
		}
	}
	return nil
}

// AddAttempt to the group's result, in a copy of what is stored, in place of one of the same number that was given up.
func (s *Collected) AddAttempt(g *CollectedGroup, a v1alpha1.Attempt) {
	if !g.Changed {
		g.Replace(s.GroupResult(g.ObservedGroup))
	}
	b := &g.Result.Benchmarks[0]
	addTo(b, result.Bounded(a, result.Size(g.Result)))
}
