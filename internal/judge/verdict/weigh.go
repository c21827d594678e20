package verdict

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// weighing is the evidence of all measured attempts together.
type weighing struct {
	measured int
	mean     *rule.Sheet
	attempt  *v1alpha1.Attempt // the mean
	outliers []outlier         // worst first
}

// weigh judges each attempt by the bounds that raise suspicion, and the mean of all by those that convict.
func (b *Judge) weigh(measured []*rule.Outcome, facts rule.Given, by bounds.Certainty) weighing {
	attempts := list.Map(measured, func(o *rule.Outcome) *v1alpha1.Attempt { return o.Attempt })
	w := weighing{measured: len(attempts), attempt: attempt.Mean(attempts)}
	facts.Weighed = true
	w.mean = b.rules.Judge(w.attempt, facts, bounds.MeanOf(len(attempts)))
	doubts := b.rules.Judge(w.attempt, facts, by).Standings
	found := map[rule.PartRule]*outlier{}
	var standings []map[rule.PartRule]rule.Standing
	for _, o := range measured {
		j := o.Sheet
		if j.Standings == nil { // it was the first, and fell short
			j = b.rules.Judge(o.Attempt, facts, by)
		}
		standings = append(standings, j.Standings)
		addOutliers(found, j)
	}
	for _, a := range found {
		a.told = true
	}
	addOutliers(found, w.mean) // attempts may have told of the node as a whole where the mean tells of a part
	for key, a := range found {
		for _, s := range standings {
			a.count(s[key])
		}
		a.mean, a.doubted = w.mean.Standings[key], doubts[key].Grade == rule.Suspect
		a.slow = slices.ContainsFunc(w.mean.Findings, func(f rule.Scored) bool { return f.Verdict == v1alpha1.VerdictFail && f.Of() == key })
		if a.suspect > 0 {
			w.outliers = append(w.outliers, *a)
		}
	}
	slices.SortFunc(w.outliers, func(a, b outlier) int {
		return cmp.Or(cmp.Compare(b.worst.Shortfall, a.worst.Shortfall), cmp.Compare(a.Metric, b.Metric), cmp.Compare(a.At, b.At), cmp.Compare(a.Rule, b.Rule))
	})
	return w
}

// with is the outliers that come to this conclusion.
func (w *weighing) with(s conclusion, most int) []*outlier {
	return list.Those(w.outliers, func(o *outlier) bool { return o.conclusion(w.measured, most) == s })
}

// decide draws what follows. What an attempt broke, the node did not hold, even where others clear it: it may come and go, and must not
// refute what an earlier run convicted it of.
func (w weighing) decide(t *tally) Decision {
	d := w.conclude(t)
	for a := range list.Each(w.outliers) {
		d.Terms.Doubt(a.Metric, a.Rule)
		if a.worst.Judged.By.State == bounds.Bounded && term.InUnit[a.Rule] {
			d.Terms.DoubtValue(a.Metric, a.At, a.worst.Judged.Value, a.worst.Judged.By.Side)
		}
	}
	return d
}

// conclude by the sentences. One proved fault is enough to end it: what else is suspect does not make the node fit.
func (w *weighing) conclude(t *tally) Decision {
	slow, undecided, gone := w.with(confirmed, t.most), w.with(open, t.most), w.with(lost, t.most)
	d := w.convict(slow)
	for _, a := range w.with(cleared, t.most) {
		if ref := (v1alpha1.PartReference{Metric: a.Metric, At: a.At}); a.told && a.unsteady() && !slices.Contains(d.Cleared, ref) {
			d.Cleared = append(d.Cleared, ref)
		}
	}
	switch {
	case len(slow) > 0:
		d.Message = convicted(d.Message, w.measured, slow[0].suspect)
	case len(undecided) > 0 && !isMeasured(t.last):
		return t.unconfirmed()
	case len(undecided) > 0:
		a := undecided[0]
		return t.another(a.worst.Message, suspect(a.worst.Message, a.suspect, w.measured, t.most))
	case len(gone) > 0:
		d.Verdict, d.Reason = v1alpha1.VerdictError, v1alpha1.ReasonNotConfirmed
		d.Message = message.Ending("suspect, and not confirmed, because this part is missing from some of the "+message.Several(w.measured, "measurement")+": "+
			quantity.Clip(gone[0].worst.Message, message.Longest*2/3), "; find out why the program left it out")
	case len(w.outliers) == 0:
		d.Verdict, d.Reason = v1alpha1.VerdictError, v1alpha1.ReasonNotConfirmed
		d.Message = message.Ending("suspect, and not confirmed, because the mean of "+message.Several(w.measured, "measurement")+" points to no part: "+
			quantity.Clip(t.fails[0].Message, message.Longest*2/3), "; check whether the program gives two parts the same name")
	default:
		return w.clear(d, t)
	}
	return d
}

// convict is the decision by the mean, of which only the findings about these parts count.
func (w *weighing) convict(slow []*outlier) Decision {
	proved, metrics := map[rule.PartRule]bool{}, map[string]bool{}
	for _, a := range slow {
		proved[a.PartRule], metrics[a.Metric] = true, true
	}
	w.mean.Findings = slices.DeleteFunc(w.mean.Findings, func(f rule.Scored) bool {
		return f.Verdict == v1alpha1.VerdictFail && (!proved[f.Of()] || w.mean.Explains(f.Finding, proved))
	})
	w.mean.Explained = nil
	w.mean.Headline = marked(w.mean.Headline, v1alpha1.VerdictPass, func(h *v1alpha1.HeadlineValue) bool {
		return h.Verdict == v1alpha1.VerdictFail && !metrics[h.Metric]
	})
	mean := w.mean.Conclude(w.attempt)
	return alone(&mean)
}

// clear a node of which every suspect part is cleared. An attempt in which nothing was suspect speaks for it, if there is one.
func (w *weighing) clear(mean Decision, t *tally) Decision {
	d, first := mean, &w.outliers[0]
	if speaks := cmp.Or(t.fleetPending, t.clean); speaks != nil {
		d = alone(speaks)
		d.Cleared = mean.Cleared
	}
	switch {
	case d.Verdict == v1alpha1.VerdictPending:
		d.Message = quantity.Clip("suspect at first: "+first.worst.Message+"; measured again: "+d.Message, message.Longest)
	case d.Verdict != v1alpha1.VerdictPass: // this is fine, but something else could not be judged
	case first.unsteady():
		d.Reason, d.Message = v1alpha1.ReasonNotConfirmed, fmt.Sprintf("suspect in only %d of %d measurements, so it is cleared: %s; "+
			"measured last: %s", first.suspect, w.measured, quantity.Clip(first.worst.Message, message.Longest*2/3),
			quantity.Clip(w.again(first, t), message.Longest/4))
	default:
		mean, bound := first.mean.Value.Value, first.mean.By.Edge
		s := quantity.NewScale(first.worst.Judged.Unit, mean, bound)
		d.Reason, d.Message = v1alpha1.ReasonNotConfirmed, fmt.Sprintf("suspect in %d of %d measurements, but not proved slow: the mean, %s, "+
			"is still within the limit of %s; worst measurement: %s", first.suspect, w.measured, s.Format(mean), s.Format(bound),
			quantity.Clip(first.worst.Message, message.Longest*2/3))
	}
	return d
}

// again is what the last attempt measured of a part, or else what the whole of it was.
func (w *weighing) again(a *outlier, t *tally) string {
	last := t.measured[len(t.measured)-1].Attempt
	got := attempt.Measurement(last, a.Metric)
	for at, v := range attempt.Numbers(got) {
		if at == a.At {
			return message.Reading(message.PartName(at), a.Metric, quantity.NewScale(got.Unit, v).Format(v))
		}
	}
	return t.last.Message
}
