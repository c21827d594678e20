package assess

import (
	"fmt"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// collectImpossible ends what is due and cannot be started. Then everything is to be judged anew, from what was collected with that.
func collectImpossible(s *Judged) (more *Collected, some bool) {
	more = s.fork()
	more.silent = false // that is no word about the rounds that follow from this: the operator may be back for them
	some = collectMissing(s.Collected, more, func(k, i int) bool { return s.due(s.nodes[k], i) })
	return more, collectUnstartable(s, more) || some
}

// collectUnstartable ends the groups that are due and cannot be started, for trying would only fail again and again: each gets an
// attempt that says so. Then everything is to be judged anew.
func collectUnstartable(s *Judged, more *Collected) (some bool) {
	idle := s.operatorIdle()
	for _, g := range inOrder(s.groups) {
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
		c := *g.collectedGroup
		c.own()
		more.addAttempt(&c, v1alpha1.Attempt{Number: int32(len(g.attempts())) + 1, Round: g.round, Verdict: v1alpha1.VerdictError, Reason: reason, Message: why})
		more.groups[g.id] = &c
	}
	return some
}

// operatorIdle says that the MPI Operator has let as many jobs as ever wait for it pass unnoticed: those held back until it gets
// on would only wait as long, batch after batch. Empty: it has not.
func (s *Judged) operatorIdle() string {
	jobs := 0
	for _, g := range s.groups {
		jobs += len(g.jobs)
	}
	if !s.silent || !s.operatorSeen.IsZero() || jobs < maxJobsBehind {
		return ""
	}
	return fmt.Sprintf("not started: the MPI Operator has ignored %d other MPIJobs of this run: check its pod and its log (kubectl -n "+
		"mpi-operator get pods)", jobs)
}
