package assess

import (
	"time"

	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/plan"
)

const (
	// BatchDelay collects changes of many pods into one pass.
	BatchDelay = 100 * time.Millisecond
	// CleanupRecheck is how often leftovers of a run that is over are looked at.
	CleanupRecheck = 10 * time.Second
)

// recheckIn is how long the run can be left alone when nothing changes.
func (s *Concluded) recheckIn() time.Duration {
	at := s.plan.Recheck
	if s.Overdue() {
		at = s.Deadline.Add(observe.CleanupGrace)
		if soon := s.Now.Add(plan.BusyRecheck); s.HasJobs() && soon.Before(at) { // MPIJobs are not watched
			at = soon
		}
	}
	if !s.recheck.IsZero() && s.recheck.Before(at) {
		at = s.recheck
	}
	if s.Run.Spec.Suspend {
		// A pod on a node that is out of reach is not waited for once the node is given up.
		if s.PodsLeft() != "" {
			return CleanupRecheck
		}
		return 0
	}
	return max(at.Sub(s.Now), BatchDelay)
}
