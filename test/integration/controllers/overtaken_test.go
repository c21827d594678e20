package controllers_test

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestATaintThatComesLater: a pod that waits for its place makes way for one that tolerates the taint which came meanwhile, at once and without
// costing an attempt. The real manager shows that its cache knows what such a pod tolerates.
func TestATaintThatComesLater(t *testing.T) {
	l := newLab(t, 1)
	waits := &corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
		Reason: corev1.PodReasonUnschedulable, Message: "0/1 nodes are available: 1 node(s) had untolerated taint(s) {team: hpc}."}}}
	placed := false
	l.plays = func(string, string, int) program {
		if placed {
			return quick(program{})
		}
		return program{status: waits}
	}
	l.manage()
	l.run()
	var first types.UID
	l.see("unschedulable", func() bool {
		for _, p := range l.pods() {
			if len(p.Status.Conditions) > 0 {
				first = p.UID
			}
		}
		return first != ""
	})
	began := time.Now()
	l.editNode("a", func(n *corev1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "team", Value: "hpc", Effect: corev1.TaintEffectNoSchedule})
	})
	l.see("replaced by one that tolerates the taint", func() bool {
		for _, p := range l.pods() {
			tolerates := slices.ContainsFunc(p.Spec.Tolerations, func(o corev1.Toleration) bool { return o.Key == "team" })
			placed = placed || p.UID != first && tolerates
		}
		return placed
	})
	if took := time.Since(began); took > unawaited {
		t.Errorf("it took %s", took)
	}
	l.see("finished", l.finished)
	same(t, "the conditions", passed, state(l.get()))
	same(t, "the attempts stored", 1, len(l.result("a").Benchmarks[0].Attempts))
	same(t, "its verdict", v1alpha1.VerdictPass, l.result("a").Verdict)
}
