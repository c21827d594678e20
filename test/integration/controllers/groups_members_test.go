package controllers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func (l *lab) cordon(node string) {
	l.t.Helper()
	l.editNode(node, func(o *corev1.Node) { o.Spec.Unschedulable = true })
}

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

// TestGroupFailSurvives: what became of a node after it had failed, and was tainted for it, changes nothing about that.
func TestGroupFailSurvives(t *testing.T) {
	t.Parallel()
	cases := map[string]func(*lab){
		"it is cordoned":           func(l *lab) { l.cordon("e") },
		"it is not Ready any more": func(l *lab) { l.ready("e", corev1.ConditionUnknown) },
		"it is deleted":            func(l *lab) { l.deleteNode("e") },
		"another one is cordoned":  func(l *lab) { l.cordon("a") },
		"the results of its pairs are deleted, and it is fast again": func(l *lab) {
			l.mpi.fabric.nodes = nil
			for pair, r := range l.groupResults() {
				if strings.Contains(pair, "e") {
					l.must(api.Delete(l.t.Context(), &r))
				}
			}
		},
	}
	for sentence, happens := range cases {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			l := newGroupLab(t, 6)
			l.mpi.fabric.nodes = map[string]float64{"e": 0.3}
			l.last("-hpl")
			l.run(by("-pairs", "-hpl"), taintingUpTo(1))
			l.until("e has failed, and the second benchmark runs", func() bool {
				return len(l.runningJobs("-hpl", "e")) > 0 && l.launcherRuns() && l.result("e").Verdict == v1alpha1.VerdictFail
			})
			happens(l)
			run := l.finish()
			same(t, "the row", "Fail/BelowExpectation", l.rowsOf(run)["e"])
			same(t, "the conditions", failed, state(run))
			if sentence != "it is deleted" {
				same(t, "tainted", []string{"e"}, l.tainted())
				b := l.result("e").Benchmarks[0]
				same(t, "the stored verdict and its attempts", "Fail 1", fmt.Sprintf("%s %d", b.Verdict, len(b.Attempts)))
			}
			l.checkNoJobLeft()
		})
	}
}

// TestGroupMemberLeaves: that a node leaves stops no measurement but its own, and nothing measured is measured again.
func TestGroupMemberLeaves(t *testing.T) {
	t.Parallel()
	t.Run("pairs that are measured go on", func(t *testing.T) {
		t.Parallel()
		l := newGroupLab(t, 8)
		l.run(by("-pairs"), func(r *v1alpha1.ValidationRun) { r.Spec.MaxConcurrentNodes = new(intstr.FromInt32(4)) })
		l.until("half of the first round runs, without a", func() bool { return len(l.runningJobs("-pairs", "a")) == 2 && l.launcherRuns() })
		before := l.runningJobs("-pairs", "a")
		l.cordon("a")
		l.pass()
		l.pass()
		same(t, "the pairs of the others", before, l.runningJobs("-pairs", "a"))
		run := l.finish()
		same(t, "the rows", but(all("abcdefgh", "Pass/Passed"), "a", "Skipped/NodeCordoned"), l.rowsOf(run))
		l.checkNoJobLeft()
	})
	t.Run("a group that was measured stays", func(t *testing.T) {
		t.Parallel()
		l := newGroupLab(t, 5)
		l.last("-hpl")
		l.run(by("-bus", "-hpl"))
		l.until("the second benchmark runs", func() bool { return len(l.runningJobs("-hpl", "")) > 0 && l.launcherRuns() })
		before := l.runningJobs("-hpl", "")
		l.cordon("a")
		l.pass()
		same(t, "the jobs", before, l.runningJobs("-hpl", ""))
		run := l.finish()
		same(t, "the rows", all("abcde", "Pass/Passed"), l.rowsOf(run))
		var results v1alpha1.ValidationResultList
		l.must(api.List(t.Context(), &results, client.MatchingLabels{v1alpha1.LabelRunName: l.name}))
		groups := 0
		for _, r := range results.Items {
			if r.Group != nil {
				groups++
				same(t, "nodes and attempts of "+r.Name, "5 1", fmt.Sprintf("%d %d", len(r.Group.Nodes), len(r.Benchmarks[0].Attempts)))
			}
		}
		same(t, "the groups measured", 2, groups)
		l.checkNoJobLeft()
	})
}

// TestGroupBlockedNode: a worker that will not end blocks its node, and does not keep the others from their verdicts.
func TestGroupBlockedNode(t *testing.T) {
	t.Parallel()
	const hangs = "test/hangs"
	l := newGroupLab(t, 8)
	l.mpi.fabric.nodes = map[string]float64{"e": 0.3}
	l.run(by("-pairs"), taintingUpTo(1), allAtOnce)
	l.until("the second round runs", func() bool { return len(l.groupResults()) >= 4 && l.launcherRuns() })
	var stuck *corev1.Pod
	for _, p := range l.jobPods() {
		if p.Spec.NodeName == l.node("b") && !isLauncher(&p) {
			stuck = p.DeepCopy()
			stuck.Finalizers = append(stuck.Finalizers, hangs)
			l.must(api.Update(t.Context(), stuck))
		}
	}
	begin := l.clock.Now()
	l.until("the slow one is tainted", func() bool { return len(l.tainted()) > 0 })
	if took := l.clock.Now().Sub(begin); took > 45*time.Minute {
		t.Errorf("it took %s", took)
	}
	same(t, "tainted", []string{"e"}, l.tainted())
	for row, verdict := range but(but(all("abcdefgh", "Pass/Passed"), "e", "Fail/BelowExpectation"), "b", "") {
		if row != "b" {
			same(t, "the row of "+row, verdict, l.rowsOf(l.get())[row])
		}
	}
	l.must(api.Get(t.Context(), client.ObjectKeyFromObject(stuck), stuck))
	stuck.Finalizers = nil
	l.must(api.Update(t.Context(), stuck))
	same(t, "the conditions", failed, state(l.finish()))
	l.checkNoJobLeft()
}

func allAtOnce(r *v1alpha1.ValidationRun) { r.Spec.MaxConcurrentNodes = new(intstr.FromString("100%")) }

// TestGroupPartWithoutMember: where a part of a slow group cannot be measured, because a node of it left, the run ends without.
func TestGroupPartWithoutMember(t *testing.T) {
	t.Parallel()
	l := newGroupLab(t, 6)
	l.shelve("east", "abc")
	l.shelve("west", "def")
	l.mpi.fabric.collective = func([]string) float64 { return 0.4 }
	l.run(by("-bus"), tainting)
	l.until("the whole was measured twice", func() bool {
		whole, ok := l.groupResults()["abcdef"]
		return ok && len(whole.Benchmarks[0].Attempts) == 2
	})
	l.cordon("e")
	begin := l.clock.Now()
	run := l.finish()
	if took := l.clock.Now().Sub(begin); took > 10*time.Minute {
		t.Errorf("it took %s", took)
	}
	same(t, "the conditions", groupsFailed(), state(run))
	same(t, "tainted", []string{}, l.tainted())
	l.checkNoJobLeft()
}
