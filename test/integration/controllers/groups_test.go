package controllers_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/taint"
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
	contains(t, "the message", l.message(run, "b"), "bandwidth", "GB/s", "expected", "% below", "confirmed")
	same(t, "the findings", []string{}, l.findings(run))
	same(t, "tainted", []string{"b"}, l.tainted())
	same(t, "the label of a", "passed", l.getNode("a").Labels[v1alpha1.LabelVerdict])
	same(t, "the condition of b", "False/BelowExpectation", validated(l.getNode("b")))
	same(t, "convicted by", l.name+"-pairs", taint.Benchmarks(l.validation("b").Convictions))
	l.checkNoJobLeft()

	l.mpi.fabric.nodes = nil
	again := l.next("-again")
	run = again.finish()
	same(t, "the conditions of the second run", passed, state(run))
	same(t, "tainted after recovery", []string{}, l.tainted())
	same(t, "condition and label after recovery", "True/Passed passed", validated(l.getNode("b"))+" "+l.getNode("b").Labels[v1alpha1.LabelVerdict])
	again.checkNoJobLeft()
}

// TestGroupSlowLink: a slow link is named by both its ends, and no node is to blame for it.
func TestGroupSlowLink(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		nodes int
		links map[string]float64
	}{
		"both ways, of 4 nodes": {4, map[string]float64{"bd": 0.3}},
		"one way, of 6 nodes":   {6, map[string]float64{"d>b": 0.3}},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			l := newGroupLab(t, c.nodes)
			l.mpi.fabric.links = c.links
			l.run(by("-pairs"), tainting)
			run := l.finish()
			same(t, "the conditions", groupsFailed(), state(run))
			same(t, "the verdict", v1alpha1.VerdictFail, run.Status.Verdict)
			same(t, "the findings", []string{"Link b,d"}, l.findings(run))
			same(t, "the rows", all("abcdef"[:c.nodes], "Pass/Passed"), l.rowsOf(run))
			f := run.Status.Findings[0]
			contains(t, "the finding", f.Benchmark+" "+f.Metric+" "+f.Message, l.name+"-pairs bandwidth", l.node("b"), l.node("d"), "GB/s, expected", "% below", "confirmed")
			contains(t, "the run's message", run.Status.Conditions[0].Message, l.node("b"), l.node("d"))
			same(t, "tainted", []string{}, l.tainted())
			l.checkNoJobLeft()
		})
	}
}

// TestGroupFewNodes: of two or three nodes below an absolute bound it cannot be told which one is slow.
func TestGroupFewNodes(t *testing.T) {
	t.Parallel()
	for _, nodes := range []int{2, 3} {
		t.Run(fmt.Sprintf("%d nodes", nodes), func(t *testing.T) {
			t.Parallel()
			l := newGroupLab(t, nodes)
			l.mpi.fabric.nodes = map[string]float64{"b": 0.3}
			l.run(by("-pairs"), tainting, func(r *v1alpha1.ValidationRun) {
				r.Spec.Benchmarks[0].Expectations = []v1alpha1.ExpectationOverride{{Metric: "bandwidth", Expectation: v1alpha1.Expectation{Min: "9"}}}
			})
			run := l.finish()
			names := "abc"[:nodes]
			same(t, "the conditions", groupsFailed(), state(run))
			same(t, "the findings", []string{"Suspects " + strings.Join(strings.Split(names, ""), ",")}, l.findings(run))
			for n, row := range l.rowsOf(run) {
				if nodes == 2 || n == "b" {
					same(t, "the row of node "+n, "Error/Suspect", row)
				}
			}
			contains(t, "the message", l.message(run, "b"), "GB/s", "at least 9", "cannot be told")
			same(t, "tainted", []string{}, l.tainted())
			same(t, "the label of b", "", l.getNode("b").Labels[v1alpha1.LabelVerdict])
			l.checkNoJobLeft()
		})
	}
}

// TestGroupOneNode: there is nobody to measure it with.
func TestGroupOneNode(t *testing.T) {
	t.Parallel()
	l := newGroupLab(t, 1)
	l.run(by("", "-pairs", "-hpl"))
	run := l.finish()
	same(t, "the row", map[string]string{"a": "Pass/Passed"}, l.rowsOf(run))
	contains(t, "the row", l.message(run, "a"), "skipped", l.name+"-pairs", l.name+"-hpl")
}

// TestGroupAfterNodeTests: a node that fails by itself is not measured with others, and spoils nobody's figures.
func TestGroupAfterNodeTests(t *testing.T) {
	t.Parallel()
	l := newGroupLab(t, 5)
	l.plays = on("c", program{rate: 50})
	met := l.partnersOf("c")
	l.run(by("", "-pairs"), tainting)
	run := l.finish()
	same(t, "the conditions", failed, state(run))
	same(t, "the rows", but(all("abde", "Pass/Passed"), "c", "Fail/BelowExpectation"), l.rowsOf(run))
	same(t, "partners of c", 0, *met)
	for _, b := range l.result("c").Benchmarks {
		if b.Name == l.name+"-pairs" {
			same(t, "the pairs of node c", "Skipped/NodeTestsFailed", string(b.Verdict)+"/"+b.Reason)
		}
	}
	same(t, "tainted", []string{"c"}, l.tainted())
	same(t, "pairs measured", 6, len(l.groupResults()))
	l.checkNoJobLeft()
}

// partnersOf counts the jobs that a node is part of.
func (l *lab) partnersOf(node string) *int {
	n := 0
	l.mpi.plays = func(j job) performance {
		if j.has(node) {
			n++
		}
		return performance{}
	}
	return &n
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
	t.Run("too slow", func(t *testing.T) {
		t.Parallel()
		l := newGroupLab(t, 4)
		l.mpi.fabric.nodes = map[string]float64{"c": 0.3}
		l.run(by("-hpl"), tainting)
		run := l.finish()
		same(t, "the conditions", groupsFailed(), state(run))
		same(t, "the findings", []string{"Set a,b,c,d"}, l.findings(run))
		same(t, "the rows", all("abcd", "Error/Suspect"), l.rowsOf(run))
		same(t, "tainted", []string{}, l.tainted())
		results := l.groupResults()
		same(t, "the groups measured", 1, len(results))
		same(t, "verdict and attempts", "Fail 2", fmt.Sprintf("%s %d", results["abcd"].Verdict, len(results["abcd"].Benchmarks[0].Attempts)))
		contains(t, "the finding", run.Status.Findings[0].Message, "GFLOP/s", "100", "confirmed")
		l.checkNoJobLeft()
	})
}

// TestGroupBoundary: a collective that is slow only across two places is halved until their boundary is named.
func TestGroupBoundary(t *testing.T) {
	t.Parallel()
	l := newGroupLab(t, 6)
	l.shelve("east", "abc")
	l.shelve("west", "def")
	across := spans("c")
	l.mpi.fabric.collective = func(nodes []string) float64 {
		if across(nodes) {
			return 0.4
		}
		return 1
	}
	l.run(by("-bus"), tainting)
	run := l.finish()
	same(t, "the conditions", groupsFailed(), state(run))
	same(t, "the findings", []string{"Boundary east,west"}, l.findings(run))
	contains(t, "the finding", run.Status.Findings[0].Message, "east", "west", "GB/s", "15")
	same(t, "the rows", all("abcdef", "Error/Suspect"), l.rowsOf(run))
	same(t, "tainted", []string{}, l.tainted())
	groups := l.groupResults()
	for name, verdict := range map[string]v1alpha1.Verdict{"abcdef": v1alpha1.VerdictFail, "abc": v1alpha1.VerdictPass, "def": v1alpha1.VerdictPass} {
		same(t, "the verdict on "+name, verdict, groups[name].Verdict)
	}
	same(t, "the groups measured", 3, len(groups))
	l.checkNoJobLeft()
}

// TestGroupWrongData: a node whose data is wrong with all its partners, which are right with others, fails.
func TestGroupWrongData(t *testing.T) {
	t.Parallel()
	l := newGroupLab(t, 4)
	l.mpi.plays = func(j job) performance { return performance{wrongData: j.has("c")} }
	l.run(by("-pairs"), taintingUpTo(1))
	run := l.finish()
	same(t, "the rows", but(all("abd", "Pass/Passed"), "c", "Fail/WrongData"), l.rowsOf(run))
	contains(t, "the message", l.message(run, "c"), "data was wrong")
	same(t, "tainted", []string{"c"}, l.tainted())
	l.checkNoJobLeft()
}
