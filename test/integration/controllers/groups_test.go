package controllers_test

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
)

// TestGroupAllFine: everybody meets partners and passes, the pairs' results are stored, and nothing is left.
func TestGroupAllFine(t *testing.T) {
	t.Parallel()
	for _, nodes := range []int{4, 6} {
		t.Run(fmt.Sprintf("%d nodes", nodes), func(t *testing.T) {
			t.Parallel()
			l := newGroupLab(t, nodes)
			l.run(by("-pairs"), tainting)
			l.until("all nodes count as running", func() bool { s := l.get().Status.Summary; return s != nil && s.Running == int32(nodes) })
			run := l.finish()
			names := "abcdef"[:nodes]
			same(t, "the conditions", passed, state(run))
			same(t, "the rows", all(names, "Pass/Passed"), l.rowsOf(run))
			partners := map[string]int{}
			for pair, r := range l.groupResults() {
				partners[pair[:1]]++
				partners[pair[1:]]++
				same(t, "verdict and attempts of pair "+pair, "Pass 1", fmt.Sprintf("%s %d", r.Verdict, len(r.Benchmarks[0].Attempts)))
			}
			for _, n := range names {
				contains(t, "the row", l.message(run, string(n)), fmt.Sprintf("(median of %d pairs, ", partners[string(n)]))
				b := l.result(string(n)).Benchmarks[0]
				same(t, "the notes of node "+string(n), partners[string(n)], len(b.Attempts[0].Notes))
				same(t, "the headline", []string{"bandwidth", "latency"}, []string{b.Headline[0].Metric, b.Headline[1].Metric})
				if partners[string(n)] < 3 {
					t.Errorf("node %c met only %d partners", n, partners[string(n)])
				}
			}
			same(t, "tainted", []string{}, l.tainted())
			l.checkNoJobLeft()
			checkFinished(t, run)
		})
	}
}

// TestGroupSlowNode: a slow node is told from its partners, fails by name, and is cleared by a later run.
func TestGroupSlowNode(t *testing.T) {
	t.Parallel()
	l := newGroupLab(t, 4)
	l.mpi.fabric.nodes = map[string]float64{"b": 0.3}
	l.run(by("-pairs"), taintingUpTo(1))
	run := l.finish()
	same(t, "the conditions", failed, state(run))
	same(t, "the rows", but(all("abcd", "Pass/Passed"), "b", "Fail/BelowExpectation"), l.rowsOf(run))
	contains(t, "the message", l.message(run, "b"), "bandwidth", "GB/s", "below typical", "confirmed")
	same(t, "the findings", []string{}, l.findings(run))
	same(t, "tainted", []string{"b"}, l.tainted())
	same(t, "the label of a", "passed", l.getNode("a").Labels[v1alpha1.LabelVerdict])
	same(t, "the condition of b", "False/BelowExpectation", validated(l.getNode("b")))
	same(t, "convicted by", l.name+"-pairs", nodevalidation.Benchmarks(l.validation("b").Convictions))
	l.checkNoJobLeft()

	l.mpi.fabric.nodes = nil
	again := l.next("-again")
	run = again.finish()
	same(t, "the conditions of the second run", passed, state(run))
	same(t, "tainted after recovery", []string{}, l.tainted())
	same(t, "condition and label after recovery", "True/Passed passed", validated(l.getNode("b"))+" "+l.getNode("b").Labels[v1alpha1.LabelVerdict])
	again.checkNoJobLeft()
}

// TestGroupOfAll: one job over all nodes, whose rate adds up, passes or makes a set of suspects.
func TestGroupOfAll(t *testing.T) {
	t.Parallel()
	t.Run("fast enough", func(t *testing.T) {
		t.Parallel()
		l := newGroupLab(t, 4)
		l.run(by("-hpl", "-bus"), tainting)
		run := l.finish()
		same(t, "the conditions", passed, state(run))
		same(t, "the rows", all("abcd", "Pass/Passed"), l.rowsOf(run))
		b := l.result("a").Benchmarks[1]
		contains(t, "what a node's result says", b.Message, "with "+l.node("b")+", "+l.node("c")+", "+l.node("d"), "GFLOP/s")
		l.checkNoJobLeft()
	})
}
