package assess

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
)

// TestDisturbedAttemptsPause: the pause begins with the end of the disturbed attempt, and the longer one follows the second in a row. A clock that
// is off neither takes the pause away nor makes it endless.
func TestDisturbedAttemptsPause(t *testing.T) {
	launched := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(seconds int) *metav1.Time {
		return &metav1.Time{Time: launched.Add(time.Duration(seconds) * time.Second)}
	}
	attempt := func(reason string, round int32, start, end int) v1alpha1.Attempt {
		return v1alpha1.Attempt{Number: 1, Round: round, Verdict: v1alpha1.VerdictError, Reason: reason, LaunchTime: at(0), StartTime: at(start), EndTime: at(end)}
	}
	disturbed := attempt(v1alpha1.ReasonDisturbed, 1, 5, 20)
	for sentence, c := range map[string]struct {
		attempts []v1alpha1.Attempt
		now      int // seconds after the launch
		want     int // when the pause is over; 0: there is none
	}{
		"after the first":                   {[]v1alpha1.Attempt{disturbed}, 22, 30},
		"it is over":                        {[]v1alpha1.Attempt{disturbed}, 30, 0},
		"after the second":                  {[]v1alpha1.Attempt{disturbed, disturbed}, 22, 50},
		"one of this round":                 {[]v1alpha1.Attempt{attempt(v1alpha1.ReasonDisturbed, 0, 5, 20), disturbed}, 22, 30},
		"one was calm between":              {[]v1alpha1.Attempt{disturbed, {Verdict: v1alpha1.VerdictPass, Round: 1}, disturbed}, 22, 30},
		"a stopped program":                 {[]v1alpha1.Attempt{attempt(v1alpha1.ReasonInterrupted, 1, 5, 20)}, 22, 30},
		"a crash":                           {[]v1alpha1.Attempt{attempt(v1alpha1.ReasonProgramFailed, 1, 5, 20)}, 22, 0},
		"the node's clock is an hour ahead": {[]v1alpha1.Attempt{attempt(v1alpha1.ReasonDisturbed, 1, 3605, 3620)}, 22, 25},
		"the node's clock is an hour late":  {[]v1alpha1.Attempt{attempt(v1alpha1.ReasonDisturbed, 1, -3595, -3580)}, 22, 25},
	} {
		got := collect.PauseAfter(c.attempts, at(c.now).Time)
		if (c.want == 0) != (got.For == "") || c.want > 0 && !got.Until.Equal(at(c.want).Time) {
			t.Errorf("%s: waits for %q until %v, want %d s", sentence, got.For, got.Until, c.want)
		}
	}
}
