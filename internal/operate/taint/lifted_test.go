package taint

import "testing"

// While the breaker is open a failure is only recorded, whichever way the writer came by it.
func TestLiftedIsSilentWhileTheBreakerIsOpen(t *testing.T) {
	j := failed()
	j.BreakerOpen = true
	c := Current{Node: node()}
	if got := j.Next(c).Action; got != Record {
		t.Errorf("Next: %s", got)
	}
	next := j.Lifted(c) // another run has lifted it between the read and the lock
	if next.Action != Record && j.Counts(next.Validation) {
		t.Errorf("Lifted: %s, and the condition says %s", next.Action, j.Word().Verdict)
	}
}
