package judge

import (
	"fmt"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// MaxJobsBehind is how many MPIJobs of one run may exist of which the MPI Operator has made no pod yet. By default it takes about one a second
// (--kube-api-qps): more would only wait there, and hold their nodes meanwhile.
const MaxJobsBehind = 50

// Impossible ends what is due and cannot be started. Then everything is to be judged anew, from what was collected with that.
func Impossible(s *Judged) (more *collect.Collected, some bool) {
	more = s.Fork()
	more.Silent = false // that is no word about the rounds that follow from this: the operator may be back for them
	some = collect.Missing(s.Collected, more, func(k, i int) bool { return s.due(s.Nodes[k], i) })
	// Groups that are due get an attempt that says so, for trying would only fail again and again.
	idle := s.operatorIdle()
	for _, g := range observe.InOrder(s.Groups) {
		if !g.Due || len(g.Jobs) > 0 {
			continue
		}
		reason, why := v1alpha1.ReasonGroupTooLarge, workload.TooLarge(g.Nodes)
		if why == "" {
			reason, why = v1alpha1.ReasonMPIOperatorSilent, idle
		}
		if why == "" {
			continue
		}
		some = true
		c := *g.CollectedGroup
		c.Own()
		more.AddAttempt(&c, v1alpha1.Attempt{Number: int32(len(g.Attempts())) + 1, Round: g.Round, Verdict: v1alpha1.VerdictError, Reason: reason, Message: why})
		more.Groups[g.ID] = &c
	}
	return more, some
}

// operatorIdle says that the MPI Operator has let as many jobs as ever wait for it pass unnoticed: those held back until it gets
// on would only wait as long, batch after batch. Empty: it has not.
func (s *Judged) operatorIdle() string {
	jobs := 0
	for _, g := range s.Groups {
		jobs += len(g.Jobs)
	}
	if !s.Silent || !s.OperatorSeen.IsZero() || jobs < MaxJobsBehind {
		return ""
	}
	return fmt.Sprintf("not started: the MPI Operator has ignored %d other MPIJobs of this run: check its pod and its log (kubectl -n "+
		"mpi-operator get pods)", jobs)
}
