package run

import (
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/test/hand"
)

// TestAStatusThatDoesNotFitIsStoredBare: a run whose other parts leave its status too little room ends all the same.
func TestAStatusThatDoesNotFitIsStoredBare(t *testing.T) {
	run := startedRun()
	h := hand.New(t, run)
	h.Refuse = hand.Refusing("patch status", 1, apierrors.NewRequestEntityTooLargeError("limit is 1572864"))
	next := run.Status
	next.Verdict, next.Nodes = v1alpha1.VerdictPass, []v1alpha1.NodeRow{{Name: "a", Verdict: v1alpha1.VerdictPass}}
	next.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionFinished, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonPassed, Message: "1 node"}}
	if err := reconcilerOf(h).patchStatus(t.Context(), run, next); err != nil {
		t.Fatal(err)
	}
	if got := finished(t, h); got != "True/Passed: 1 node" {
		t.Errorf("the run is over with %q", got)
	}
}

// TestProgressThatIsHeldBackIsWrittenLater: the last pod of a suspended run goes within a second of the last write of its status. Nothing else will wake the run.
func TestProgressThatIsHeldBackIsWrittenLater(t *testing.T) {
	for recheck, want := range map[time.Duration]time.Duration{0: statusInterval, time.Millisecond: time.Millisecond, time.Minute: statusInterval} {
		run := startedRun()
		r := reconcilerOf(hand.New(t, run))
		r.recent.Reported(run.UID, begin)
		next := *run.Status.DeepCopy()
		next.Summary = &v1alpha1.RunSummary{Nodes: 1, Pending: 1}
		again, err := r.report(t.Context(), writerOf(t, r, run, nodeOf("a")).pass, assess.Report{Status: next, Recheck: recheck})
		if err != nil || again.RequeueAfter != want {
			t.Errorf("to be looked at in %s: error %v, looked at in %s, want %s", recheck, err, again.RequeueAfter, want)
		}
	}
}
