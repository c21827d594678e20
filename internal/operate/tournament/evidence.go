package tournament

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/blame"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

// evidence is what the tournament showed of one node.
type evidence struct {
	*Node
	pairs []*Group
	// disturbed: no attempt of a whole round measured it undisturbed.
	disturbed bool
	// estimates are what the node reaches by the model, which the rules judge; readings are what its pairs measured, which is shown.
	estimates []v1alpha1.Measurement
	readings  []reading
	// fails were proved; suspicions were not, or not of this node alone; remarks convict nobody.
	fails      []v1alpha1.Finding
	suspicions []string
	remarks    []string
	// wrongData is proved, by the first of fails.
	wrongData bool
	// reached is what the model says of the node, by metric.
	reached map[string]blame.NodeEffect
	// notJudged says why a metric was not compared with other nodes; compared are the metrics that were.
	notJudged []v1alpha1.Finding
	compared  []term.Term
}

// isClear: nothing that was measured in pairs speaks against the node.
func (e *evidence) isClear() bool { return len(e.fails)+len(e.suspicions) == 0 }

// unlessUnjudged is the decision of the rules beside what the tournament compared: a headline metric that neither of them judged passes nobody.
func (e *evidence) unlessUnjudged(d verdict.Decision, metrics []v1alpha1.Metric) verdict.Decision {
	if d.Verdict != v1alpha1.VerdictPass && d.Reason != v1alpha1.ReasonNotJudged {
		return d
	}
	about := func(m *v1alpha1.Metric) func(term.Term) bool {
		return func(held term.Term) bool {
			byPast := d.Reason == v1alpha1.ReasonNotJudged && held.Rule == term.Regression // by one that nobody could judge
			return held.Metric == m.Name && !byPast
		}
	}
	for m := range list.Each(metrics) {
		if !m.Headline || m.Expectation == nil || slices.ContainsFunc(e.compared, about(m)) || slices.ContainsFunc(d.Terms.Held, about(m)) {
			continue
		}
		k := slices.IndexFunc(e.notJudged, func(f v1alpha1.Finding) bool { return f.Metric == m.Name })
		switch {
		case d.Reason == v1alpha1.ReasonNotJudged:
			return d
		case k >= 0:
			return d.NotJudged(m, e.notJudged[k].Message)
		}
	}
	return d.ComparedElsewhere()
}

// attempt is what a node's result keeps of a tournament: what its pairs measured, and where they are.
func (e *evidence) attempt() (v1alpha1.Attempt, bool) {
	if len(e.estimates) == 0 && e.isClear() {
		return v1alpha1.Attempt{}, false
	}
	a := v1alpha1.Attempt{Number: 1, Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonMeasured,
		Measurements: list.Map(e.readings, func(r reading) v1alpha1.Measurement { return measurement(r.metric, "node", r.median) })}
	const mostNotes = 16
	for _, g := range e.pairs {
		for _, played := range g.Attempts {
			if a.StartTime == nil || played.StartTime != nil && played.StartTime.Before(a.StartTime) {
				a.StartTime = played.StartTime
			}
			if played.EndTime != nil && (a.EndTime == nil || a.EndTime.Before(played.EndTime)) {
				a.EndTime = played.EndTime
			}
			if t := played.LaunchTime; t != nil && (a.LaunchTime == nil || t.Before(a.LaunchTime)) {
				a.LaunchTime = t // the first: what another run measured in the middle of the tournament is newer
			}
			a.Version, a.ImageID = cmp.Or(played.Version, a.Version), cmp.Or(played.ImageID, a.ImageID)
			a.Configuration = cmp.Or(played.Configuration, a.Configuration)
		}
		if len(a.Notes) < mostNotes {
			a.Notes = append(a.Notes, quantity.Clip(fmt.Sprintf("ValidationResult %s: with %s", g.ID, g.Others(e.Name)), maxNote))
		}
	}
	return a, true
}

// unmeasured says why nothing is known of a node: the last thing that went wrong with it.
func (e *evidence) unmeasured() verdict.Decision {
	d := verdict.Decision{Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonNotGrouped, Message: "no pair with this node was measured"}
	if n := len(e.pairs); n > 0 {
		g := e.pairs[n-1]
		d = asMeasuredLast(g)
		d.Message = noPartnerWorked(n, g.Others(e.Name), d.Message)
	}
	if attempt.Measured(v1alpha1.Attempt{Verdict: d.Verdict}) { // it ran, but without the metrics that were asked for
		d.Verdict, d.Reason, d.Message = v1alpha1.VerdictMissing, v1alpha1.ReasonMeasurementMissing,
			"the program reported none of the Benchmark's metrics"
	}
	d.Message = quantity.Clip(d.Message, 1024)
	return d
}
