package collect

import (
	"fmt"
	"slices"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/operate/tournament"
)

// pauses after one disturbed attempt, and after two: most of what disturbs a node passes, and an attempt that follows at once meets it again.
var pauses = [attempt.MostDisturbed - 1]time.Duration{10 * time.Second, 30 * time.Second}

// PauseAfter is what the attempt is to wait for that follows these; nothing, where the last one was not disturbed.
func PauseAfter(attempts []v1alpha1.Attempt, now time.Time) plan.Wait {
	n := 0
	for _, a := range slices.Backward(attempts) {
		if !attempt.Disturbed(&a) || a.Round != attempts[len(attempts)-1].Round {
			break
		}
		n++
	}
	if n == 0 {
		return plan.Wait{}
	}
	last := &attempts[len(attempts)-1]
	until := endOf(last, now).Add(pauses[min(n, len(pauses))-1])
	if !now.Before(until) {
		return plan.Wait{}
	}
	return plan.Wait{For: fmt.Sprintf("%s; attempt %d is due at %s", tournament.AttemptCountsNot(last.Number, last.Reason), last.Number+1,
		until.UTC().Format(time.RFC3339)), Until: until}
}

// endOf an attempt, as its node's clock says. One that is off by more than the attempt itself tells only how long it took.
func endOf(a *v1alpha1.Attempt, now time.Time) time.Time {
	if a.StartTime == nil || a.EndTime == nil || a.LaunchTime == nil {
		return time.Time{}
	}
	if end := a.EndTime.Time; !end.Before(a.LaunchTime.Time) && !end.After(now) {
		return end
	}
	return a.LaunchTime.Add(a.EndTime.Sub(a.StartTime.Time))
}

// Awaits is what a task of a node waits for: what the node may yet have, or a pause to pass.
func (s *Collected) Awaits(n *CollectedNode, i int) plan.Wait {
	if l := n.Lacks[i]; l.Waits() {
		return l.Wait()
	}
	return PauseAfter(n.Attempts(s.Tasks[i].Name()), s.Now)
}

// AwaitsQuiet is the pause before a slow measurement is made again beside which others were at work on the host.
func (s *Collected) AwaitsQuiet(n *CollectedNode, i int) plan.Wait {
	return PauseAfter(list.Map(n.MeasuredBy(s.Tasks[i].Name()).Attempts, func(a v1alpha1.Attempt) v1alpha1.Attempt {
		disturbed, _ := attempt.Crowded(&a, 0)
		return disturbed
	}), s.Now)
}
