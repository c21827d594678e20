package taint

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
)

// A run whose attempts nobody can read any more takes nothing back of what it convicted a node of; one that did not break the rule after all does.
func TestWhatNobodyCanReadRefutesNothing(t *testing.T) {
	for reason, want := range map[string]Action{v1alpha1.ReasonUnreadable: Record, v1alpha1.ReasonProgramFailed: Lift} {
		j := judged(v1alpha1.VerdictError, now)
		j.Run = v1alpha1.ObjectReference{Name: "before", UID: "before"}
		j.Benchmarks[0].Terms = term.Terms{}
		a := &j.Result.Benchmarks[0].Attempts[0]
		a.Verdict, a.Reason = v1alpha1.VerdictError, reason
		if next := j.Next(quarantined(t)); next.Action != want {
			t.Errorf("with attempts that ended as %s it is to %s, want %s (convictions %v)", reason, next.Action, want, next.Validation.Convictions)
		}
	}
}

// A leader that has not seen the attempt by which another one convicted the node takes nothing back.
func TestWhatAnotherLeaderHasSeenStays(t *testing.T) {
	for late, want := range map[time.Duration]Action{time.Minute: Record, 0: Lift} {
		j := judged(v1alpha1.VerdictError, now)
		j.Run = v1alpha1.ObjectReference{Name: "before", UID: "before"}
		j.Benchmarks[0].Terms = term.Terms{}
		a := &j.Result.Benchmarks[0].Attempts[0]
		a.Verdict, a.Reason = v1alpha1.VerdictError, v1alpha1.ReasonProgramFailed
		c := quarantined(t)
		at := metav1.NewTime(c.Validation.Convictions[0].MeasuredAt.Add(-late))
		a.LaunchTime = &at
		if next := j.Next(c); next.Action != want {
			t.Errorf("an attempt %s before that of the conviction is to %s, want %s (convictions %v)", late, next.Action, want, next.Validation.Convictions)
		} else if w, ok := j.Says(Current{Node: node(), Validation: next.Validation}); want == Record && ok {
			t.Errorf("it says of a node that stays convicted: %+v", w)
		}
	}
}
