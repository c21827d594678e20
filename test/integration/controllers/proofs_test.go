package controllers_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// holdBack makes the lab's Benchmark need GPUs, and a pod of others hold those of a node, so that a run waits for it. The returned
// function lets go.
func (l *lab) holdBack(short string) func() {
	l.t.Helper()
	b := &v1alpha1.Benchmark{}
	l.must(api.Get(l.t.Context(), keyOf(l.name), b))
	b.Spec.Needs.DeviceResource = "nvidia.com/gpu"
	l.must(api.Update(l.t.Context(), b))
	devices := corev1.ResourceList{"nvidia.com/gpu": l.getNode(short).Status.Allocatable["nvidia.com/gpu"]}
	other := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: l.name + "-train", Namespace: "default"}, Spec: corev1.PodSpec{NodeName: l.node(short),
		Containers: []corev1.Container{{Name: "train", Image: "x", Resources: corev1.ResourceRequirements{Requests: devices, Limits: devices}}}}}
	l.create(other)
	free := func() { _ = api.Delete(background, other, client.GracePeriodSeconds(0)) }
	l.t.Cleanup(free)
	return free
}

// alone lets a run measure one node of the lab.
func (l *lab) alone(short string) func(*v1alpha1.ValidationRun) {
	return func(r *v1alpha1.ValidationRun) {
		r.Spec.NodeSelector, r.Spec.NodeNames = nil, []string{l.node(short)}
	}
}

// standing is what the cluster says of a node: taints, label, condition.
func (l *lab) standing(short string) string {
	n := l.getNode(short)
	return strings.Join(append(taints(n), n.Labels[v1alpha1.LabelVerdict], validated(n)), " ")
}

const (
	unfit = "assay.dev/unfit=failed:NoSchedule failed False/BelowExpectation"
	fit   = "passed True/Passed"
	// untouched is a node that no run has judged.
	untouched = " "
)

// TestAnOlderRunUndoesNothing: a run that has measured a node, and waits for another one, leaves the first alone once a later run
// has measured it.
func TestAnOlderRunUndoesNothing(t *testing.T) {
	t.Parallel()
	for sentence, c := range map[string]struct {
		older, newer float64
		between, end string
	}{
		"a pass does not lift the taint of a later failure": {100, 50, fit, unfit},
		"a failure does not taint again what was repaired":  {50, 100, unfit, fit},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, 2)
			free := l.holdBack("b")
			l.plays = on("a", program{rate: c.older})
			l.run(tainting, func(r *v1alpha1.ValidationRun) { r.Spec.OnFailure.MaxTaintedNodes = percent("100%") })
			l.until("node a is measured", func() bool { return l.get().Status.Progress == "1/2" && len(l.pods()) == 0 })
			if c.older < 90 { // the first taint of a run waits until all of its nodes are measured, so another one has convicted the node
				convict := l.next("-convict", tainting, l.alone("a"))
				convict.plays = l.plays
				convict.finish()
			}
			same(t, "node a after the older run", c.between, l.standing("a"))
			newer := l.next("-newer", tainting, l.alone("a"))
			newer.plays = on("a", program{rate: c.newer})
			newer.finish()
			same(t, "node a after the newer run", c.end, l.standing("a"))
			l.idle(newer) // the older run tells once that another one has overtaken it
			before := l.hand.count()
			l.idle(newer)
			same(t, "writes of idle passes", []write(nil), append([]write(nil), l.hand.writes[before:]...))
			free()
			l.finish()
			if c.older < 90 {
				contains(t, "the row of the older run", l.message(l.get(), "a"), "a later measurement supersedes this one")
			}
			same(t, "node a after the end of the older run", c.end, l.standing("a"))
			same(t, "the run that proved it last", newer.get().UID, l.validation("a").Proof.Run.UID)
			same(t, "writes after the end", 0, l.idle(newer)+newer.idle(l))
		})
	}
}

// idle counts the writes of ten passes of two runs in turn.
func (l *lab) idle(other *lab) int {
	before := l.hand.count()
	for range 5 {
		l.pass()
		other.pass()
	}
	return l.hand.count() - before
}

// TestActiveRunsThatAgreeAreQuiet: two runs that both passed the same nodes, and wait for another one, do not wake each other for ever.
func TestActiveRunsThatAgreeAreQuiet(t *testing.T) {
	t.Parallel()
	l := newLab(t, 3)
	l.holdBack("c")
	l.run()
	l.until("two nodes are measured", func() bool { return l.get().Status.Progress == "2/3" && len(l.pods()) == 0 })
	second := l.next("-second")
	second.until("two nodes are measured", func() bool { return second.get().Status.Progress == "2/3" && len(second.pods()) == 0 })
	l.idle(second) // what the passes above have not told each other yet
	same(t, "writes of ten idle passes", 0, l.idle(second))
	noted := l.hand.countOf("update NodeValidation")
	l.restart()
	second.r = l.r
	l.idle(second)
	same(t, "writes about nodes after a restart", 0, l.hand.countOf("update NodeValidation")-noted)
}

// TestSuspendedIsNotOver: what is measured of a part of a fleet is no verdict yet while the run is suspended.
func TestSuspendedIsNotOver(t *testing.T) {
	t.Parallel()
	l := newLab(t, 5)
	b := &v1alpha1.Benchmark{}
	l.must(api.Get(t.Context(), keyOf(l.name), b))
	b.Spec.Metrics[0].Expectation = &v1alpha1.Expectation{MaxFleetDeviation: "0.05"}
	l.must(api.Update(t.Context(), b))
	l.plays = on("a", program{rate: 50})
	l.run(tainting)
	l.finish()
	same(t, "node a, slower than its fleet", unfit, l.standing("a"))

	again := l.next("-again", func(r *v1alpha1.ValidationRun) { r.Spec.MaxConcurrentNodes = percent("20%") })
	again.plays = l.plays
	again.until("four nodes are measured", func() bool { return again.measuredNodes() >= 4 })
	again.suspend(true)
	again.until("no pod", func() bool { return len(again.pods()) == 0 })
	again.rest()
	same(t, "the verdict on node a while suspended", v1alpha1.VerdictPending, again.result("a").Verdict)
	same(t, "node a while suspended", unfit, l.standing("a"))
	again.cordon("e") // that may pass before the run goes on
	again.rest()
	for _, short := range []string{"a", "b"} {
		same(t, "the verdict on node "+short+" while the last node is cordoned, too", v1alpha1.VerdictPending, again.result(short).Verdict)
	}
	again.editNode("e", func(n *corev1.Node) { n.Spec.Unschedulable = false })
	again.suspend(false)
	again.finish()
	same(t, "the rows", but(all("abcde", "Pass/Passed"), "a", "Fail/BelowExpectation"), again.rowsOf(again.get()))
	same(t, "node a at the end", unfit, l.standing("a"))
}

// measuredNodes of the run, by its stored results.
func (l *lab) measuredNodes() int {
	n := 0
	for _, short := range "abcde" {
		if l.result(string(short)) != nil {
			n++
		}
	}
	return n
}

// TestAWeakerRunLiftsNothing: only a run in which the rule that convicted was judged again, as strictly, and held lifts a taint; its row
// says what is missing.
func TestAWeakerRunLiftsNothing(t *testing.T) {
	t.Parallel()
	byFleet := &v1alpha1.Expectation{MaxFleetDeviation: "0.05"}
	expecting := func(l *lab, e v1alpha1.Expectation) func(*v1alpha1.ValidationRun) {
		return func(r *v1alpha1.ValidationRun) {
			r.Spec.Benchmarks = []v1alpha1.BenchmarkRef{{Name: l.name, Expectations: []v1alpha1.ExpectationOverride{{Metric: "rate", Expectation: e}}}}
		}
	}
	for sentence, c := range map[string]struct {
		expectation *v1alpha1.Expectation
		rate        float64
		change      func(*lab) func(*v1alpha1.ValidationRun)
		want, says  string
	}{
		"alone, so that no fleet judges it": {byFleet, 50, func(l *lab) func(*v1alpha1.ValidationRun) { return l.alone("a") },
			unfit, "(FleetDeviation of rate at node: 50 GB/s, bound"},
		"with an override that has no rule": {&v1alpha1.Expectation{Min: "90"}, 50,
			func(l *lab) func(*v1alpha1.ValidationRun) { return expecting(l, v1alpha1.Expectation{Max: "1000"}) },
			unfit, "Min of rate was not judged in this run"},
		"with a lower bound": {&v1alpha1.Expectation{Min: "90"}, 50,
			func(l *lab) func(*v1alpha1.ValidationRun) { return expecting(l, v1alpha1.Expectation{Min: "10"}) },
			unfit, "this run asked for less: Min of rate 10, convicted by 90"},
		"with a lower bound, but better than the one that convicted": {&v1alpha1.Expectation{Min: "90"}, 95,
			func(l *lab) func(*v1alpha1.ValidationRun) { return expecting(l, v1alpha1.Expectation{Min: "10"}) }, fit, ""},
		"with a higher bound": {&v1alpha1.Expectation{Min: "90"}, 95,
			func(l *lab) func(*v1alpha1.ValidationRun) { return expecting(l, v1alpha1.Expectation{Min: "92"}) }, fit, ""},
		"beside the same fleet, repaired": {byFleet, 99, func(*lab) func(*v1alpha1.ValidationRun) { return func(*v1alpha1.ValidationRun) {} }, fit, ""},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, 5)
			b := &v1alpha1.Benchmark{}
			l.must(api.Get(t.Context(), keyOf(l.name), b))
			b.Spec.Metrics[0].Expectation = c.expectation
			l.must(api.Update(t.Context(), b))
			l.plays = on("a", program{rate: 50})
			l.run(tainting)
			l.finish()
			same(t, "node a, convicted", unfit, l.standing("a"))
			again := l.next("-again", c.change(l))
			again.plays = on("a", program{rate: c.rate})
			run := again.finish()
			same(t, "node a after the second run", c.want, l.standing("a"))
			contains(t, "its row", again.message(run, "a"), c.says)
			if c.says != "" {
				contains(t, "its row", again.message(run, "a"), "still counts as unfit: run "+l.name+" convicted it by "+l.name)
				same(t, "tainted in its row", true, again.row(run, "a").Tainted)
			}
		})
	}
}

func (l *lab) row(run *v1alpha1.ValidationRun, short string) v1alpha1.NodeRow {
	for _, r := range run.Status.Nodes {
		if r.Name == l.node(short) {
			return r
		}
	}
	return v1alpha1.NodeRow{}
}

// TestParametersOfARunLiftNothing: an easier size is another measurement.
func TestParametersOfARunLiftNothing(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	b := &v1alpha1.Benchmark{}
	l.must(api.Get(t.Context(), keyOf(l.name), b))
	b.Spec.Parameters = []v1alpha1.ParameterSpec{{Name: "size", Type: v1alpha1.ParameterInteger, Default: "100"}}
	b.Spec.Command = []string{"/bin/rate", "--size", "$(size)"}
	l.must(api.Update(t.Context(), b))
	l.plays = always(program{rate: 50})
	l.run(tainting)
	l.finish()
	easy := l.next("-easy", func(r *v1alpha1.ValidationRun) {
		r.Spec.Benchmarks = []v1alpha1.BenchmarkRef{{Name: l.name, Parameters: []v1alpha1.ParameterValue{{Name: "size", Value: "1"}}}}
	})
	run := easy.finish()
	same(t, "node a", unfit, l.standing("a"))
	contains(t, "its row", easy.message(run, "a"), "with parameters of its own: run it as the Benchmark has them")
	l.next("-as-catalogued").finish()
	same(t, "node a after a run as the Benchmark has it", fit, l.standing("a"))
}

// TestAnAdministratorMayCorrectABound: a node that a wrong expectation convicted is cleared once the Benchmark is put right.
func TestAnAdministratorMayCorrectABound(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	b := &v1alpha1.Benchmark{}
	l.must(api.Get(t.Context(), keyOf(l.name), b))
	b.Spec.Metrics[0].Expectation.Min = "1000"
	l.must(api.Update(t.Context(), b))
	l.run(tainting)
	l.finish()
	same(t, "node a, convicted by a wrong bound", unfit, l.standing("a"))
	b.Spec.Metrics[0].Expectation.Min = "90"
	l.must(api.Update(t.Context(), b))
	l.next("-again").finish()
	same(t, "node a after the bound is put right", fit, l.standing("a"))
}
