package verdict

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// weighing is the evidence of all measured attempts together.
type weighing struct {
	measured int
	mean     *judgement
	attempt  *v1alpha1.Attempt // the mean
	outliers []outlier         // worst first
}

// weigh judges each attempt by the bounds that raise suspicion, and the mean of all by those that convict.
func (f *Fleet) weigh(attempts []*v1alpha1.Attempt, facts NodeFacts, by Evidence) weighing {
	w := weighing{measured: len(attempts), attempt: meanOf(attempts)}
	w.mean = f.standings(w.attempt, facts, MeanOf(len(attempts)))
	doubts := f.standings(w.attempt, facts, by).standings
	found := map[partRule]*outlier{}
	var standings []map[partRule]standing
	for _, a := range attempts {
		j := f.standings(a, facts, by)
		standings = append(standings, j.standings)
		j.addOutliers(found)
	}
	for _, a := range found {
		a.told = true
	}
	w.mean.addOutliers(found) // attempts may have told of the node as a whole where the mean tells of a part
	for key, a := range found {
		for _, s := range standings {
			a.count(s[key])
		}
		a.mean, a.doubted = w.mean.standings[key], doubts[key].grade == suspect
		a.slow = slices.ContainsFunc(w.mean.findings, func(f scored) bool { return f.Verdict == v1alpha1.VerdictFail && f.of() == key })
		if a.suspect > 0 {
			w.outliers = append(w.outliers, *a)
		}
	}
	slices.SortFunc(w.outliers, func(a, b outlier) int {
		return cmp.Or(cmp.Compare(b.worst.shortfall, a.worst.shortfall), cmp.Compare(a.metric, b.metric), cmp.Compare(a.at, b.at), cmp.Compare(a.rule, b.rule))
	})
	return w
}

// of is what the finding is about.
func (f *scored) of() partRule { return partRule{f.Metric, f.At, f.Rule} }

// addOutliers adds the parts that the findings are about, but for pairs that a slow GPU explains.
func (j *judgement) addOutliers(found map[partRule]*outlier) {
	for _, f := range j.findings {
		if f.Verdict != v1alpha1.VerdictFail || j.explains(f.Finding, nil) {
			continue
		}
		key := f.of()
		if j.standings[key].grade == unseen { // told of several parts together
			j.standings[key] = standing{grade: suspect, value: f.value, bound: f.broken.bound}
		}
		if found[key] == nil {
			found[key] = &outlier{partRule: key, worst: f}
		} else if f.shortfall > found[key].worst.shortfall {
			found[key].worst = f
		}
	}
}

// standings are a judgement that tells how every part stands.
func (f *Fleet) standings(a *v1alpha1.Attempt, facts NodeFacts, by Evidence) *judgement {
	return f.judgeBy(&judgement{benchmark: f.benchmark, evidence: by, parts: map[[2]string]int32{}, standings: map[partRule]standing{}}, a, facts)
}

// with is the outliers that come to this conclusion.
func (w *weighing) with(s conclusion, most int) []*outlier {
	var out []*outlier
	for i := range w.outliers {
		if w.outliers[i].conclusion(w.measured, most) == s {
			out = append(out, &w.outliers[i])
		}
	}
	return out
}

// decide draws what follows. What an attempt broke, the node did not hold, even where others clear it: it may come and go, and must not
// refute what an earlier run convicted it of.
func (w weighing) decide(t *tally) Decision {
	d := w.conclude(t)
	for i := range w.outliers {
		a := &w.outliers[i]
		d.Terms.doubt(a.metric, a.rule)
		if a.worst.broken.state == bounded && inUnit[a.rule] {
			d.Terms.doubtValue(a.metric, a.at, a.worst.value, a.worst.broken.side)
		}
	}
	return d
}

// conclude by the sentences. One proved fault is enough to end it: what else is suspect does not make the node fit.
func (w *weighing) conclude(t *tally) Decision {
	slow, undecided, gone := w.with(confirmed, t.most), w.with(open, t.most), w.with(lost, t.most)
	d := w.convict(slow)
	for _, a := range w.with(cleared, t.most) {
		if ref := (v1alpha1.PartReference{Metric: a.metric, At: a.at}); a.told && a.unsteady() && !slices.Contains(d.Cleared, ref) {
			d.Cleared = append(d.Cleared, ref)
		}
	}
	switch {
	case len(slow) > 0:
		d.Message = message.Convicted(d.Message, w.measured, slow[0].suspect)
	case len(undecided) > 0 && !isMeasured(t.last):
		return t.unconfirmed()
	case len(undecided) > 0:
		a := undecided[0]
		return t.another(a.worst.Message, message.Suspect(a.worst.Message, a.suspect, w.measured, t.most))
	case len(gone) > 0:
		d.Verdict, d.Reason = v1alpha1.VerdictError, v1alpha1.ReasonNotConfirmed
		d.Message = message.SuspectIsGone(gone[0].worst.Message, w.measured)
	case len(w.outliers) == 0:
		d.Verdict, d.Reason = v1alpha1.VerdictError, v1alpha1.ReasonNotConfirmed
		d.Message = message.NoOutlier(t.fails[0].Message, w.measured)
	default:
		return w.clear(d, t)
	}
	return d
}

// convict is the judgement of the mean, of which only the findings about these parts count.
func (w *weighing) convict(slow []*outlier) Decision {
	proved, metrics := map[partRule]bool{}, map[string]bool{}
	for _, a := range slow {
		proved[a.partRule], metrics[a.metric] = true, true
	}
	w.mean.findings = slices.DeleteFunc(w.mean.findings, func(f scored) bool {
		return f.Verdict == v1alpha1.VerdictFail && (!proved[f.of()] || w.mean.explains(f.Finding, proved))
	})
	w.mean.explained = nil
	for i := range w.mean.headline {
		if h := &w.mean.headline[i]; h.Verdict == v1alpha1.VerdictFail && !metrics[h.Metric] {
			h.Verdict = v1alpha1.VerdictPass
		}
	}
	return w.mean.conclude(w.attempt).Alone()
}

// clear a node of which every suspect part is cleared. An attempt in which nothing was suspect speaks for it, if there is one.
func (w *weighing) clear(mean Decision, t *tally) Decision {
	d, first := mean, &w.outliers[0]
	if speaks := cmp.Or(t.fleetPending, t.clean); speaks != nil {
		d = speaks.Alone()
		d.Cleared = mean.Cleared
	}
	switch {
	case d.Verdict == v1alpha1.VerdictPending:
		d.Message = message.ReRunAwaitsFleet(first.worst.Message, d.Message)
	case d.Verdict != v1alpha1.VerdictPass: // this is fine, but something else could not be judged
	case first.unsteady():
		d.Reason, d.Message = v1alpha1.ReasonNotConfirmed, message.Cleared(first.worst.Message, first.suspect, w.measured, w.again(first, t))
	default:
		d.Reason, d.Message = v1alpha1.ReasonNotConfirmed, message.NotBeyondDoubt(first.worst.Message, first.suspect, w.measured,
			first.mean.value, first.mean.bound, quantity.NewScale(first.worst.unit, first.mean.value, first.mean.bound))
	}
	return d
}

// again is what the last attempt measured of a part, or else what the whole of it was.
func (w *weighing) again(a *outlier, t *tally) string {
	last := t.measured[len(t.measured)-1]
	if got := measurement(last, a.metric); got != nil {
		for _, part := range got.Parts {
			if v, ok := quantity.ParseDecimal(part.Value); ok && part.At == a.at {
				return message.Reading(part.At, nil, a.metric, v, quantity.NewScale(got.Unit, v))
			}
		}
	}
	return t.last.Message
}
