package controllers_test

import (
	"testing"
	"time"
)

// TestManagerMeasuresGroups: the real manager, with its caches and wake-ups, plays a tournament. It is not parallel, as the other tests of the manager.
func TestManagerMeasuresGroups(t *testing.T) {
	l := newGroupLab(t, 4)
	l.mpi.fabric.nodes = map[string]float64{"b": 0.3}
	l.mpi.plays = func(job) performance { return performance{takes: 50 * time.Millisecond} }
	l.plays = always(quick(program{}))
	l.manage()
	l.run(by("", "-pairs"), taintingUpTo(1))
	l.see("finished", l.finished)
	run := l.get()
	same(t, "the conditions", failed, state(run))
	same(t, "the rows", but(all("abcd", "Pass/Passed"), "b", "Fail/BelowExpectation"), l.rowsOf(run))
	same(t, "tainted", []string{"b"}, l.tainted())
	l.checkNoJobLeft()
}
