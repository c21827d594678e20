package taint

import "testing"

// While the breaker is open a failure is only recorded, whichever way the writer came by it.
func TestAFailureIsNotToldWhileTheBreakerIsOpen(t *testing.T) {
	j := failed()
	j.BreakerOpen = true
	c := Current{Node: node()}
	for _, next := range []Next{j.Next(c), j.Lifted(c)} { // another run may have lifted it between the read and the lock
		c.Validation = next.Validation
		if w, ok := j.Says(c); ok || next.Action != Record {
			t.Errorf("%s, and the condition says %s", next.Action, w.Verdict)
		}
	}
}
