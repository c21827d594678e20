package controllers_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestATaintThatIsForbiddenNowIsStillOurs: a node that carries a taint of an effect which is not allowed any more keeps that one, gets no
// second, and loses it once it is repaired.
func TestATaintThatIsForbiddenNowIsStillOurs(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.plays = always(program{rate: 50})
	l.run(tainting, func(r *v1alpha1.ValidationRun) { r.Spec.OnFailure.Taint.Effect = corev1.TaintEffectNoExecute })
	l.finish()
	l.policy.AllowNoExecute = false
	l.restart()
	again := l.next("-again", tainting)
	again.plays = l.plays
	again.finish()
	same(t, "the taints", []string{"assay.dev/unfit=failed:NoExecute"}, taints(l.getNode("a")))
	l.next("-repaired", tainting).finish()
	same(t, "node a, repaired", fit, l.standing("a"))
}

// TestATaintOfAnEarlierRunIsKept: a node that carries the taint of an earlier run gets no second one from a run with a taint of its own,
// which nothing would ever lift.
func TestATaintOfAnEarlierRunIsKept(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.plays = always(program{rate: 50})
	l.run(tainting, func(r *v1alpha1.ValidationRun) { r.Spec.OnFailure.Taint.Key = "site/unfit" })
	l.finish()
	l.policy.MaxPercent = 0 // it takes none of the budget that is not taken already
	l.restart()
	again := l.next("-again", tainting)
	again.plays = l.plays
	row := again.message(again.finish(), "a")
	same(t, "the taints", []string{"site/unfit=failed:NoSchedule"}, taints(l.getNode("a")))
	if strings.Contains(row, "not tainted") {
		t.Errorf("the row of a tainted node: %q", row)
	}
	l.next("-repaired").finish()
	same(t, "node a, repaired", fit, l.standing("a"))
}
