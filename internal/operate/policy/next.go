package policy

import (
	"time"
)

// Next decides what is to be done about a policy now.
func Next(s Snapshot, now time.Time) Plan {
	p := newPass(s, now)
	switch {
	case !s.Policy.DeletionTimestamp.IsZero():
		p.withdraw()
		return p.plan
	case p.invalid != "":
		p.standStill()
	default:
		p.survey()
		p.createRuns()
		p.openGates()
		p.markOverdue()
		p.report()
	}
	p.cleanUp()
	p.plan.Again = p.again()
	return p.plan
}
