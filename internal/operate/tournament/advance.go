package tournament

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/blame"
	"github.com/assay-dev/assay/internal/list"
)

// passOverAfter is how long a tournament waits for a pair of which a node is busy or blocked, once everything else of its round is
// played. One node whose driver hangs must not keep the fleet from its verdicts.
const passOverAfter = 5 * time.Minute

// advance starts the pairs that are due, and says whether there are any.
func (t *tournament) advance(metrics []pairMetric) (open bool) {
	if t.inVain() {
		return false
	}
	running := t.keepRunning()
	for i, m := range metrics {
		if i > 0 && !m.judged {
			break
		}
		if t.advanceMetric(m) {
			return true
		}
	}
	return running
}

// keepRunning lets the jobs of a tournament end whose pairs are not drawn any more, because somebody came or left: what they
// measure is as good as any.
func (t *tournament) keepRunning() (kept bool) {
	for _, g := range t.Groups {
		if g.Running && len(g.Nodes) == 2 && t.has(g) {
			kept = t.start(g, g.Round, "started before the run's nodes changed") || kept
		}
	}
	return kept
}

// advanceMetric starts the pairs that are due by one metric. A round of which nothing can be played any more is left as it is.
func (t *tournament) advanceMetric(m pairMetric) (open bool) {
	played := t.measuredPairs(m)
	for {
		step := blame.Next(t.players, played, m.options)
		if len(step.Pairs) == 0 {
			return false
		}
		due := false
		for _, p := range step.Pairs {
			over, until := t.passedOver(p)
			if !until.IsZero() && (t.Recheck.IsZero() || until.Before(t.Recheck)) {
				t.Recheck = until
			}
			if over {
				continue
			}
			g := t.groupOf([]string{p.A, p.B})
			why := fmt.Sprintf("round %d of the tournament", step.Round)
			if n := len(g.Attempts); n > 0 && int(g.Attempts[n-1].Round) == step.Round {
				why = cmp.Or(WhyAgain(g.Attempts), why)
			}
			due = t.start(g, int32(step.Round), why) || due
		}
		if due || t.closed() || t.paused() {
			return true
		}
		for _, p := range step.Pairs {
			played = append(played, blame.Measurement{Pair: p, Round: step.Round})
		}
	}
}

// passedOver: a pair cannot be measured in this round, so that the tournament goes on without it; until is when it will be passed over.
func (t *tournament) passedOver(p blame.Pair) (over bool, until time.Time) {
	for _, name := range []string{p.A, p.B} {
		if t.away[name] != nil {
			return true, until
		}
		if !t.nodes[name].Held || t.lastEnd.IsZero() {
			continue
		}
		since := t.lastEnd
		if t.Started.After(since) { // it was suspended meanwhile
			since = t.Started
		}
		if until = since.Add(passOverAfter); !t.Now.Before(until) {
			return true, time.Time{}
		}
	}
	return false, until
}

// inVain: every node was tried and nothing could be measured at all; more rounds would fail alike.
func (t *tournament) inVain() bool {
	tried := map[string]bool{}
	for _, g := range t.pairs {
		if slices.ContainsFunc(g.Attempts, attempt.Measured) || len(t.counted(g)) == 0 {
			return false
		}
		for _, n := range g.Nodes {
			tried[n.Name] = true
		}
	}
	missing := list.Count(t.members, func(e *evidence) bool { return !tried[e.Name] })
	return len(t.pairs) > 0 && missing <= len(t.members)%2
}
