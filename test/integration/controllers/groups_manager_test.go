package controllers_test

import (
	"testing"
	"time"
)

// TestManagerMeasuresGroups: the real manager, with its caches and wake-ups, plays a tournament without waiting for anything
// that nobody tells it of. It is not parallel, as the other tests of the manager.
func TestManagerMeasuresGroups(t *testing.T) {
	l := newGroupLab(t, 4)
	l.mpi.fabric.nodes = map[string]float64{"b": 0.3}
	l.mpi.plays = func(job) performance { return performance{takes: 50 * time.Millisecond} }
	l.plays = always(quick(program{}))
	l.manage()
	begin := time.Now()
	l.run(by("", "-pairs"), taintingUpTo(1))
	l.see("finished", l.finished)
	if took := time.Since(begin); took > unawaited {
		t.Errorf("the tournament took %s", took)
	}
	run := l.get()
	same(t, "the conditions", failed, state(run))
	same(t, "the rows", but(all("abcd", "Pass/Passed"), "b", "Fail/BelowExpectation"), l.rowsOf(run))
	same(t, "tainted", []string{"b"}, l.tainted())
	l.checkNoJobLeft()
}
