package controllers

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// kindGrace is how long MPIJobs may be unknown to a run that has begun to measure by them: whoever installs the MPI Operator anew
// may take its CRD away for a moment, and with it only the jobs that run.
const kindGrace = 30 * time.Second

// kindSeen is how a run saw the kind of MPIJobs: whether it ever knew it, and since when it is missing.
type kindSeen struct {
	known       bool
	missing, at time.Time
}

// observeKind decides what it means that the cluster knows MPIJobs, or does not. A run that has not begun with them does not wait.
func (r *RunReconciler) observeKind(s *scope, known bool) {
	since, seen := r.memory.sawKind(s.run.UID, known, s.now)
	if known {
		return
	}
	until := since.Add(kindGrace)
	s.mpiAway = (seen || len(s.groups) > 0) && s.now.Before(until)
	s.mpiMissing = !s.mpiAway
	if s.mpiAway {
		s.wake(until)
	}
}

// sawKind remembers whether a run saw the kind, and returns since when it does not, and whether it ever did.
func (m *memory) sawKind(run types.UID, known bool, now time.Time) (missing time.Time, ever bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.kinds[run]
	switch {
	case known:
		k.known, k.missing = true, time.Time{}
	case k.missing.IsZero():
		k.missing = now
	}
	k.at = time.Now()
	m.kinds[run] = k
	return k.missing, k.known
}
