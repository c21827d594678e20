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
		r.Spec.Selector, r.Spec.NodeNames = nil, []string{l.node(short)}
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
				contains(t, "the note of the older run", l.note(l.get(), "a"), "a later measurement supersedes this one")
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
