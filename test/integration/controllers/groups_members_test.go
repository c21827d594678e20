package controllers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// last makes a benchmark the last of its run.
func (l *lab) last(suffix string) {
	l.t.Helper()
	b := &v1alpha1.Benchmark{}
	l.must(api.Get(l.t.Context(), keyOf(l.name+suffix), b))
	b.Spec.CostSeconds = 600
	l.must(api.Update(l.t.Context(), b))
}

// runningJobs are the UIDs of the run's MPIJobs of a benchmark, without those that a node is part of.
func (l *lab) runningJobs(suffix, without string) []string {
	var out []string
	for _, o := range l.jobs() {
		if j := l.job(&o); j.benchmark == l.name+suffix && !j.has(without) && o.DeletionTimestamp == nil {
			out = append(out, string(o.UID))
		}
	}
	slices.Sort(out)
	return out
}

// TestGroupFailSurvives: what became of the results of a node's pairs after it had failed, and was tainted for it, changes nothing
// about that.
func TestGroupFailSurvives(t *testing.T) {
	t.Parallel()
	l := newGroupLab(t, 6)
	l.mpi.fabric.nodes = map[string]float64{"e": 0.3}
	l.last("-hpl")
	l.run(by("-pairs", "-hpl"), taintingUpTo(1))
	l.until("e has failed, and the second benchmark runs", func() bool {
		return len(l.runningJobs("-hpl", "e")) > 0 && l.launcherRuns() && l.result("e").Verdict == v1alpha1.VerdictFail
	})
	l.mpi.fabric.nodes = nil // it is fast again
	for pair, r := range l.groupResults() {
		if strings.Contains(pair, "e") {
			l.must(api.Delete(l.t.Context(), &r))
		}
	}
	run := l.finish()
	same(t, "the row", "Fail/BelowExpectation", l.rowsOf(run)["e"])
	same(t, "the conditions", failed, state(run))
	same(t, "tainted", []string{"e"}, l.tainted())
	b := l.result("e").Benchmarks[0]
	same(t, "the stored verdict and its attempts", "Fail 1", fmt.Sprintf("%s %d", b.Verdict, len(b.Attempts)))
	l.checkNoJobLeft()
}
