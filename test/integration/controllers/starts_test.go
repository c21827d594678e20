package controllers_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestAnAnnouncementIsTakenBack: the operator is killed after it recorded a quarantine, and the budget is gone when it is back.
func TestAnAnnouncementIsTakenBack(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	crash := errors.New("crash")
	l.tolerate = func(err error) bool { return errors.Is(err, crash) }
	l.plays = always(program{rate: 50})
	crashed := false
	l.run(tainting, l.alone("a"), func(r *v1alpha1.ValidationRun) { r.Spec.Confirmations = new(int32(0)) })
	l.hand.after = func(_ int, _ write, o runtime.Object) error {
		if v, ok := o.(*v1alpha1.NodeValidation); ok && !crashed && v.Quarantine != nil {
			crashed = true
			return crash
		}
		return nil
	}
	l.until("crash", func() bool { return crashed })
	l.hand.after = nil
	// the administrator lowers the limit meanwhile (or other nodes take it)
	l.policy.MaxPercent = 0
	l.restart()
	l.finish()
	v := l.validation("a")
	if len(v.Convictions) > 0 || v.Quarantine != nil {
		t.Errorf("a node that was never tainted is remembered as unfit: %+v, %+v", v.Convictions, v.Quarantine)
	}
}

// TestSuspendedFromTheStart: a run that is created suspended measures what there is when it is let go.
func TestSuspendedFromTheStart(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.plays = always(program{rate: 50})
	l.run(func(r *v1alpha1.ValidationRun) { r.Spec.Suspend = true })
	l.rest()
	l.expect(v1alpha1.Expectation{Min: "10"})
	l.suspend(false)
	run := l.finish()
	same(t, "verdict by the Benchmark as it is at the start", v1alpha1.VerdictPass, run.Status.Verdict)
}

// TestThePolicyIsTightenedInMidRun: a run that has started goes on, and taints nobody.
func TestThePolicyIsTightenedInMidRun(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	l.plays = on("a", program{rate: 50})
	l.run(tainting, func(r *v1alpha1.ValidationRun) {
		r.Spec.OnFailure.Taint.Effect = corev1.TaintEffectNoExecute
		r.Spec.ActiveDeadlineSeconds = new(int64(600))
	})
	l.until("pods", func() bool { return len(l.pods()) == 2 })
	l.policy.AllowNoExecute = false
	l.restart()
	for range 6 {
		l.pass()
		l.kubelet()
		l.clock.SetTime(l.clock.Now().Add(30 * time.Second))
	}
	l.finish()
	same(t, "what was measured is stored", true, l.result("a") != nil)
	same(t, "taints", []string{}, taints(l.getNode("a")))
}

func (l *lab) untilLate(limit time.Duration) bool {
	end := l.clock.Now().Add(limit)
	for l.clock.Now().Before(end) && !l.finished() {
		l.pass()
		l.kubelet()
		l.clock.SetTime(l.clock.Now().Add(30 * time.Second))
	}
	return l.finished()
}

// TestRunsThatCannotStartEnd: a run whose finalizer or catalogue the API server never takes is over at its deadline, and says so.
func TestRunsThatCannotStartEnd(t *testing.T) {
	t.Parallel()
	denied := apierrors.NewForbidden(schema.GroupResource{Resource: "x"}, "x", nil)
	down := apierrors.NewInternalError(http.ErrServerClosed)
	for name, c := range map[string]struct {
		verb write
		err  error
	}{
		"finalizer denied":  {"patch ValidationRun", denied},
		"pin denied":        {"create ControllerRevision", denied},
		"pin: webhook down": {"create ControllerRevision", down},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, 1)
			l.tolerate = func(error) bool { return true }
			l.plays = always(program{rate: 50})
			l.hand.before = func(_ int, w write, _ runtime.Object) error {
				if w == c.verb {
					return c.err
				}
				return nil
			}
			l.run(tainting, func(r *v1alpha1.ValidationRun) { r.Spec.ActiveDeadlineSeconds = new(int64(600)) })
			if l.pass(); errors.Is(c.err, denied) { // that will not pass by itself
				contains(t, "its message at once", finishedMessage(l.get()), "the run cannot start")
			}
			ok := l.untilLate(20 * time.Minute)
			same(t, "finished", true, ok)
			contains(t, "its message", finishedMessage(l.get()), "the run cannot start")
		})
	}
}

// TestInvalidEndsAlthoughPodsStay: a run that became invalid is over although its pods may not be deleted, and names them.
func TestInvalidEndsAlthoughPodsStay(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.tolerate = func(error) bool { return true }
	l.plays = always(program{takes: time.Hour})
	l.run(tainting, func(r *v1alpha1.ValidationRun) { r.Spec.ActiveDeadlineSeconds = new(int64(600)) })
	l.until("a pod runs", func() bool { return len(l.pods()) == 1 })
	l.losePin()
	l.hand.before = func(_ int, w write, _ runtime.Object) error {
		if w == "delete Pod" {
			return apierrors.NewForbidden(schema.GroupResource{Resource: "x"}, "x", nil)
		}
		return nil
	}
	ok := l.untilLate(20 * time.Minute)
	same(t, "finished", true, ok)
	contains(t, "its message", finishedMessage(l.get()), "its pods could not be deleted")
}
