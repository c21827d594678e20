package assess

import (
	"cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/plan"
)

// groupsClosed: no group is measured any more, and what was not measured stays so. A run that is suspended is not over.
func (s *state) groupsClosed() bool { return s.overdue() || s.mpiMissing }

// notMeasured is the decision about what was not measured with others when the run was over; waited says what for.
func (s *state) notMeasured(i int, waited string) verdict.Decision {
	if s.mpiMissing {
		return verdict.Decision{Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonMPIOperatorMissing,
			Message: message.OperatorMissing(s.tasks[i].Name())}
	}
	return s.tooLate(cmp.Or(waited, message.NotMeasuredWithOthers()))
}

// makeDue marks a group as due, and says whether another attempt will be made at all: where the run is paused, later.
func (s *state) makeDue(g *Group, round int32, reason string) bool {
	if len(g.attempts()) >= plan.MaxAttempts || s.groupsClosed() {
		return false
	}
	if s.paused() {
		return true
	}
	g.due, g.round, g.reason = true, round, reason
	return true
}
