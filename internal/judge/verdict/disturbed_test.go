package verdict

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/rule"
)

// TestADisturbedAttemptIsNoEvidence: neither its speed nor its checks count, and it is made again, at most twice.
func TestADisturbedAttemptIsNoEvidence(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{Min: "100"}))
	fleet := newFleet(bench, []v1alpha1.Metric{m}, nil, nil, true)
	good, slow, wrong := *onGPUs(m, 120, 110), *onGPUs(m, 120, 90), *onGPUs(m, 120, 110)
	wrong.Checks = []v1alpha1.Check{{Name: "dataIntegrity"}, {Name: "undisturbed", Message: "pid 9 used gpu0"}}
	disturbed := slow
	disturbed.Verdict, disturbed.Reason, disturbed.Message = v1alpha1.VerdictError, v1alpha1.ReasonDisturbed, "pid 9 used gpu0"
	smaller := disturbed
	smaller.Reason, smaller.Message = v1alpha1.ReasonNotComparable, "1 GiB instead of 4"
	stopped := disturbed
	stopped.Reason, stopped.Message = v1alpha1.ReasonInterrupted, "stopped by SIGTERM"
	torn := stopped // in the middle of a comparison
	torn.Checks = []v1alpha1.Check{{Name: "dataIntegrity"}, {Name: "finished", Message: "stopped by SIGTERM"}}
	crash := v1alpha1.Attempt{Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonTimedOut, Message: "killed after 600 s"}

	const pass, fail, pending, failed = v1alpha1.VerdictPass, v1alpha1.VerdictFail, v1alpha1.VerdictPending, v1alpha1.VerdictError
	const found = "gpu1 hbmTriad 90 GB/s: bound 100 GB/s"
	tests := map[string]struct {
		attempts      []v1alpha1.Attempt
		confirmations int32
		want          decided
	}{
		"it is made again":                  {[]v1alpha1.Attempt{disturbed}, 1, decided{pending, "", "measured again (attempt 2 of at most 3): pid 9 used gpu0", true, nil}},
		"also where nothing is confirmed":   {[]v1alpha1.Attempt{disturbed}, 0, decided{pending, "", "measured again (attempt 2 of at most 3): pid 9 used gpu0", true, nil}},
		"twice":                             {[]v1alpha1.Attempt{disturbed, smaller}, 1, decided{pending, "", "measured again (attempt 3 of at most 3): 1 GiB instead of 4", true, nil}},
		"and no more":                       {[]v1alpha1.Attempt{disturbed, smaller, disturbed}, 1, decided{failed, "Disturbed", "pid 9 used gpu0; none of 3 attempts counts: free the node of other work, then start another run", false, nil}},
		"the last one says why":             {[]v1alpha1.Attempt{disturbed, disturbed, smaller}, 1, decided{failed, "NotComparable", "1 GiB instead of 4; none of 3 attempts counts: free the node of other work, then start another run", false, nil}},
		"nor is one that was stopped":       {[]v1alpha1.Attempt{slow, stopped, slow}, 1, decided{fail, "BelowExpectation", found + "; confirmed: mean of 2 measurements", false, nil}},
		"nor what its checks say":           {[]v1alpha1.Attempt{torn, good}, 1, decided{pass, "Passed", "gpu1 hbmTriad 110 GB/s", false, nil}},
		"stopped again and again":           {[]v1alpha1.Attempt{disturbed, stopped, stopped}, 1, decided{failed, "Interrupted", "stopped by SIGTERM; none of 3 attempts counts: find out what stops programs on this node, then start another run", false, nil}},
		"a later one judges alone":          {[]v1alpha1.Attempt{disturbed, good}, 1, decided{pass, "Passed", "gpu1 hbmTriad 110 GB/s", false, nil}},
		"a slow one is the first":           {[]v1alpha1.Attempt{disturbed, slow}, 2, decided{pending, "", "suspect, so it is measured again (at most 2 more): " + found, true, nil}},
		"it confirms nothing":               {[]v1alpha1.Attempt{slow, disturbed}, 1, decided{pending, "", "suspect, so it is measured again (at most 1 more): " + found, true, nil}},
		"it hides no confirmation":          {[]v1alpha1.Attempt{slow, disturbed, slow}, 1, decided{fail, "BelowExpectation", found + "; confirmed: mean of 2 measurements", false, nil}},
		"what it leaves open convicts none": {[]v1alpha1.Attempt{slow, disturbed, disturbed, disturbed}, 1, decided{failed, "Disturbed", "suspect, and not confirmed, because the re-run was not measured (Disturbed): pid 9 used gpu0; first measurement: " + found, false, nil}},
		"nor what it clears":                {[]v1alpha1.Attempt{slow, good, disturbed}, 1, decided{pass, "NotConfirmed", "suspect in only 1 of 2 measurements, so it is cleared: " + found + "; measured last: gpu1 hbmTriad 110 GB/s", false, []v1alpha1.PartReference{{Metric: "hbmTriad", At: "gpu1"}}}},
		"wrong data is looked at again":     {[]v1alpha1.Attempt{wrong, disturbed}, 1, decided{pending, "", "measuring once more to see whether it is permanent: wrong data: check dataIntegrity failed", true, nil}},
		"and stays wrong":                   {[]v1alpha1.Attempt{wrong, disturbed, disturbed, disturbed}, 1, decided{fail, "WrongData", "wrong data: check dataIntegrity failed", false, nil}},
		"a crash ends it":                   {[]v1alpha1.Attempt{disturbed, crash}, 1, decided{failed, "TimedOut", "killed after 600 s", false, nil}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, told(fleet.Decide(tt.attempts, rule.Given{}, tt.confirmations)), cmp.AllowUnexported(decided{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestADisturbedNodeIsNoYardstick: its fleet waits for a measurement of it, and never compares with one that was disturbed.
func TestADisturbedNodeIsNoYardstick(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
	a := *onGPUs(m, 50, 50)
	a.Verdict, a.Reason = v1alpha1.VerdictError, v1alpha1.ReasonDisturbed
	if d := fleet.DigestAttempt([]v1alpha1.Metric{m}, &a); !reflect.DeepEqual(d, fleet.Digest{}) {
		t.Errorf("it is digested: %+v", d)
	}
	for n, want := range []bool{true, true, true, false, false} {
		attempts := make([]v1alpha1.Attempt, n)
		for i := range attempts {
			attempts[i] = a
		}
		if got := attempt.AwaitsMeasurement(attempts); got != want {
			t.Errorf("after %d disturbed attempts another one follows: %v, want %v", n, got, want)
		}
	}
	if attempt.AwaitsMeasurement([]v1alpha1.Attempt{a, *onGPUs(m, 100)}) {
		t.Error("it waits for a node that was measured")
	}
}
