package assess

import (
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/plan"
)

// busySkipped is for how long a node counts as busy that was skipped, or not measured in time: it must not come and go.
const busySkipped = 5 * time.Minute

// skipsBusy: spec.busyNodes is Skip, so that a busy node is not waited for.
func skipsBusy(run *v1alpha1.ValidationRun) bool { return run.Spec.BusyNodes == v1alpha1.BusySkip }

// BusyFor is for how long a look at a node that found it busy counts.
func BusyFor(run *v1alpha1.ValidationRun, now time.Time) time.Duration {
	if _, deadline := began(run, now); skipsBusy(run) || !now.Before(deadline) {
		return busySkipped
	}
	return plan.BusyRecheck
}
