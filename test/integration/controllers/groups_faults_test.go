package controllers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestGroupOperatorMissing: where the cluster does not know MPIJobs, or does not know them any more, the run says what to
// install and measures the rest. It is not parallel, for it takes the CRD away.
func TestGroupOperatorMissing(t *testing.T) {
	removeMPIJobs(t)
	check := func(l *lab, run *v1alpha1.ValidationRun) {
		t.Helper()
		same(t, "the conditions", inconclusive("Inconclusive"), state(run))
		same(t, "the rows", all("ab", "Error/MPIOperatorMissing"), l.rowsOf(run))
		contains(t, "the message", l.message(run, "a"), "install MPI Operator v0.7.0 or later", "mpijobs.kubeflow.org", l.name+"-pairs")
		b := l.result("a").Benchmarks[0]
		same(t, "the benchmark of scope Node", l.name+" Pass 1", fmt.Sprintf("%s %s %d", b.Name, b.Verdict, len(b.Attempts)))
		l.checkNoJobLeft()
	}
	l := newLab(t, 2)
	l.groupBenchmarks()
	l.mpi = &mpiOperator{}
	l.run(by("", "-pairs"))
	check(l, l.finish())

	installMPIJobs(t)
	again := l.next("-again")
	same(t, "the conditions once it is installed", passed, state(again.finish()))

	again = l.next("-gone")
	again.until("an MPIJob runs", func() bool { return again.anyJobPod(corev1.PodRunning) })
	removeMPIJobs(t)
	begin := l.clock.Now()
	run := again.finish()
	same(t, "the conditions when it is gone in mid-run", inconclusive("Inconclusive"), state(run))
	same(t, "the rows", all("ab", "Error/MPIOperatorMissing"), again.rowsOf(run))
	if took := l.clock.Now().Sub(begin); took > time.Minute {
		t.Errorf("it took %s to end", took)
	}
	again.checkNoJobLeft()
	again.must(api.Delete(t.Context(), run))
	again.until("gone", again.gone)

	installMPIJobs(t)
	again = newGroupLab(t, 4)
	again.run(by("-pairs"))
	again.until("the first pairs are stored", func() bool { return len(again.groupResults()) > 0 })
	again.until("an MPIJob runs", func() bool { return again.anyJobPod(corev1.PodRunning) })
	stored := again.groupResults()
	removeMPIJobs(t)
	again.until("the pods of its jobs are gone", func() bool { return len(again.pods()) == 0 })
	for range 3 {
		again.pass()
	}
	same(t, "the results while it is away for a moment", stored, again.groupResults())
	same(t, "finished while it is away for a moment", false, again.finished())
	installMPIJobs(t)
	same(t, "the conditions when it is back", passed, state(again.finish()))
	for pair, r := range stored {
		same(t, "attempts of pair "+pair+" begin with those that were stored", r.Benchmarks[0].Attempts, again.groupResults()[pair].Benchmarks[0].Attempts[:len(r.Benchmarks[0].Attempts)])
	}
	again.checkNoJobLeft()
}

func (l *lab) anyJobPod(phase corev1.PodPhase) bool {
	return slices.ContainsFunc(l.jobPods(), func(p corev1.Pod) bool { return p.Status.Phase == phase })
}

func (l *lab) launcherRuns() bool {
	return slices.ContainsFunc(l.jobPods(), func(p corev1.Pod) bool { return isLauncher(&p) && p.Status.Phase == corev1.PodRunning })
}

// TestGroupsThatGoWrong: whatever goes wrong with MPIJobs ends in time, in words of our own, and nothing is left.
func TestGroupsThatGoWrong(t *testing.T) {
	t.Parallel()
	once := func(p performance) func(*lab) {
		return func(l *lab) {
			l.mpi.plays = func(j job) performance {
				if j.has("a") && j.has("b") && j.attempt == 1 {
					return p
				}
				return performance{}
			}
		}
	}
	cases := map[string]struct {
		prepare func(*lab)
		nodes   string
		want    map[string]string
		rows    func(nodes string) map[string]string
		// words in the message of node a, or where it passed in that of the result of its pair with b.
		words []string
		// within this time.
		within time.Duration
	}{
		"the MPI Operator refuses the MPIJob": {func(l *lab) { l.mpi.rejects = "Found validation errors: spec.slotsPerWorker: Invalid value" }, "abcd", inconclusive("Inconclusive"),
			func(n string) map[string]string { return all(n, "Error/MPIJobRejected") },
			[]string{"ValidationError: Found validation errors: spec.slotsPerWorker: Invalid value", "correct the Benchmark's group"}, 30 * time.Second},
		"a worker is lost once": {once(performance{loses: "b"}), "abcd", passed,
			func(n string) map[string]string { return all(n, "Pass/Passed") }, []string{"was lost before the measurement was done"}, 10 * time.Minute},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			l := newGroupLab(t, len(c.nodes))
			c.prepare(l)
			l.run(by("-pairs"), tainting)
			l.until("there are MPIJobs", func() bool { return len(l.jobs()) > 0 })
			begin := l.catchUp()
			l.until("finished", l.finished)
			took := l.clock.Now().Sub(begin)
			l.rest()
			run := l.get()
			same(t, "the conditions", c.want, state(run))
			same(t, "the rows", c.rows(c.nodes), l.rowsOf(run))
			message := l.message(run, "a")
			if l.rowsOf(run)["a"] == "Pass/Passed" {
				message = l.groupResults()["ab"].Benchmarks[0].Attempts[0].Message
			}
			contains(t, "the message", message, c.words...)
			if took > c.within {
				t.Errorf("it took %s", took)
			}
			same(t, "tainted", []string{}, l.tainted())
			l.checkNoJobLeft()
			checkFinished(t, run)
		})
	}
}

// TestGroupRunStopped: a run that is deleted or suspended in mid-tournament leaves neither MPIJob nor pod.
func TestGroupRunStopped(t *testing.T) {
	t.Parallel()
	second := func(t *testing.T, change ...func(*v1alpha1.ValidationRun)) *lab {
		t.Helper()
		l := newGroupLab(t, 4)
		l.run(append([]func(*v1alpha1.ValidationRun){by("-pairs"), tainting}, change...)...)
		l.until("the second round runs", func() bool { return len(l.groupResults()) == 2 && l.launcherRuns() })
		return l
	}
	t.Run("it is deleted", func(t *testing.T) {
		t.Parallel()
		l := second(t)
		l.must(api.Delete(t.Context(), l.get()))
		l.until("gone", l.gone)
		l.checkNoJobLeft()
		same(t, "tainted", []string{}, l.tainted())
	})
	t.Run("it is suspended and resumed", func(t *testing.T) {
		t.Parallel()
		l := second(t)
		stored := l.groupResults()
		l.suspend(true)
		l.until("nothing is left", func() bool { return len(l.jobs())+len(l.pods()) == 0 })
		for l.step() {
			if len(l.jobs()) > 0 {
				t.Fatal("a suspended run has MPIJobs")
			}
		}
		same(t, "the conditions", map[string]string{"Finished": "False/Suspended", "Succeeded": "Unknown/Suspended", "Suspended": "True/Suspended"}, state(l.get()))
		l.suspend(false)
		run := l.finish()
		same(t, "the conditions at the end", passed, state(run))
		for pair, r := range stored {
			same(t, "attempts of the pair measured before, "+pair, len(r.Benchmarks[0].Attempts), len(l.groupResults()[pair].Benchmarks[0].Attempts))
		}
		l.checkNoJobLeft()
	})
}

// TestGroupMembersInMidRun: what happens to one node of the tournament costs the others nothing.
func TestGroupMembersInMidRun(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		happens func(*lab)
		row     string
		more    bool // six nodes instead of five
	}{
		"it is deleted": {happens: func(l *lab) { l.deleteNode("b") }, row: "Error/NodeDeleted"},
		"its MPIJob is deleted by somebody": {happens: func(l *lab) {
			for _, j := range l.jobs() {
				if l.job(&j).has("b") {
					l.must(api.Delete(l.t.Context(), &j, client.PropagationPolicy(metav1.DeletePropagationBackground)))
				}
			}
		}, row: "Pass/Passed"},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			names := "abcde"
			if c.more {
				names = "abcdef"
			}
			l := newGroupLab(t, len(names))
			l.mpi.fabric.nodes = map[string]float64{"e": 0.3}
			l.run(by("-pairs"), taintingUpTo(1))
			l.until("the second round runs, with b", func() bool { return len(l.groupResults()) >= 2 && l.launcherRuns() && l.inJob("b") })
			c.happens(l)
			run := l.finish()
			want := but(but(all(names, "Pass/Passed"), "e", "Fail/BelowExpectation"), "b", c.row)
			same(t, "the rows", want, l.rowsOf(run))
			same(t, "the conditions", failed, state(run))
			same(t, "tainted", []string{"e"}, l.tainted())
			l.checkNoJobLeft()
			if c.row == "Pass/Passed" {
				for pair, r := range l.groupResults() {
					for _, a := range r.Benchmarks[0].Attempts {
						if a.Verdict == v1alpha1.VerdictError && a.Reason != v1alpha1.ReasonWorkerLost {
							t.Errorf("pair %s has an attempt %s: %s", pair, a.Reason, a.Message)
						}
					}
				}
			}
		})
	}
}

// catchUp takes the clock to the youngest object of the run: the API server dates them by its own clock, which does not wait for ours,
// and the operator counts from there.
func (l *lab) catchUp() time.Time {
	l.t.Helper()
	now := l.clock.Now()
	for _, j := range l.jobs() {
		now = later(now, j.CreationTimestamp.Time)
	}
	for _, p := range l.pods() {
		now = later(now, p.CreationTimestamp.Time)
	}
	l.clock.SetTime(now)
	return now
}

// inJob: the node is part of an MPIJob now.
func (l *lab) inJob(node string) bool {
	return slices.ContainsFunc(l.jobs(), func(j mpi.MPIJob) bool { return l.job(&j).has(node) })
}

// TestGroupsOfABusyNode: a node whose devices others take after its MPIJob was made holds its partners for a minute only, and
// nobody is blamed for it.
func TestGroupsOfABusyNode(t *testing.T) {
	t.Parallel()
	busyLab := func(t *testing.T, busy v1alpha1.BusyNodes) *lab {
		t.Helper()
		l := newGroupLab(t, 4)
		l.mpi.foreign = "a"
		l.run(by("-pairs"), func(r *v1alpha1.ValidationRun) { r.Spec.BusyNodes = busy })
		return l
	}
	t.Run("it is waited for", func(t *testing.T) {
		t.Parallel()
		l := busyLab(t, v1alpha1.BusyWait)
		l.until("its worker waits", func() bool { return l.inJob("a") && len(l.pods()) > 0 })
		begin := l.catchUp()
		l.until("its job is given up", func() bool { return !l.inJob("a") && l.clock.Now().Sub(begin) > 30*time.Second })
		if took := l.clock.Now().Sub(begin); took > 90*time.Second {
			t.Errorf("its job was given up after %s", took)
		}
		l.until("the node is looked at again", func() bool { return l.inJob("a") })
		l.until("its job is given up once more", func() bool { return !l.inJob("a") })
		l.until("the row says so", func() bool {
			return strings.Contains(l.message(l.get(), "a"), "was not placed on node "+l.node("a")+" within 1m0s because others hold what it needs")
		})
		l.mpi.foreign = ""
		run := l.finish()
		same(t, "the conditions", passed, state(run))
		for pair, r := range l.groupResults() {
			for _, a := range r.Benchmarks[0].Attempts {
				if a.Verdict != v1alpha1.VerdictPass {
					t.Errorf("pair %s has an attempt %s: %s", pair, a.Reason, a.Message)
				}
			}
		}
		l.checkNoJobLeft()
	})
}

// TestGroupsOfTwoRuns: the second waits for the MPIJobs of the first, even before those have a pod, or each could hold a node
// that the other waits for.
func TestGroupsOfTwoRuns(t *testing.T) {
	t.Parallel()
	l := newGroupLab(t, 2)
	l.mpi.silent = true
	l.run(by("-pairs"))
	l.until("an MPIJob", func() bool { return len(l.jobs()) > 0 })
	second := *l
	second.steps, second.name = 0, l.name+"-second"
	l.create(&v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: second.name}, Spec: l.get().Spec})
	t.Cleanup(func() { discard(second.name) })
	var again reconcile.Result
	for range 4 {
		again = second.pass()
		if jobs := second.jobs(); len(jobs) > 0 {
			t.Fatal("MPIJobs of two runs want the same nodes")
		}
	}
	if again.RequeueAfter == 0 || again.RequeueAfter > 15*time.Second {
		t.Errorf("the second run looks again in %s", again.RequeueAfter)
	}
	contains(t, "the row", second.message(second.get(), "a"), "waiting for run "+l.name)
	l.mpi.silent = false
	same(t, "the first run", passed, state(l.finish()))
	same(t, "the second run", passed, state(second.finish()))
	second.checkNoJobLeft()
}
