package verdict

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// OverSockets is the decision about a group with RDMA whose NCCL went another way. How fast that was says nothing about the nodes: it fails nobody
// and passes nobody, and another attempt would go the same way. Wrong data stays wrong.
func (d Decision) OverSockets(why string) Decision {
	data := slices.ContainsFunc(d.Findings, func(f v1alpha1.Finding) bool { return f.Rule == term.DataCheck })
	speed := d.Reason == v1alpha1.ReasonBelowExpectation || d.NeedsAttempt && !data
	if d.Verdict != v1alpha1.VerdictPass && d.Reason != v1alpha1.ReasonNotJudged && !speed {
		return d
	}
	kept := slices.DeleteFunc(slices.Clone(d.Findings), func(f v1alpha1.Finding) bool { return f.Verdict == v1alpha1.VerdictFail })
	found := v1alpha1.Finding{Rule: term.Transport, Verdict: v1alpha1.VerdictWarning, Message: quantity.Clip(why, message.Longest)}
	headline := marked(d.Headline, v1alpha1.VerdictInconclusive, func(*v1alpha1.HeadlineValue) bool { return true })
	return Decision{Verdict: v1alpha1.VerdictInconclusive, Reason: v1alpha1.ReasonNotOverRDMA, Message: found.Message, Headline: headline, Curves: d.Curves,
		Findings: append([]v1alpha1.Finding{found}, kept...)}
}

// JoinSize adds to the decision about a group what so many of its nodes showed. What could not be measured leaves a hole in the curve. Where
// the curve is judged, a hole means an error, and what falls short fails the curve.
func (d Decision) JoinSize(nodes int, size Decision, values map[string][]attempt.PartValue, judged bool) Decision {
	if size.Verdict == v1alpha1.VerdictSkipped {
		size.Verdict = v1alpha1.VerdictError
	}
	d.Curves = slices.Clone(d.Curves)
	for i := range d.Curves {
		if c := &d.Curves[i]; c.Of == "node" && len(values[c.Metric]) == 0 && len(c.Points) < rule.MaxPoints {
			why := size.Message
			if size.Verdict == v1alpha1.VerdictPass {
				why = "the program did not report " + c.Metric
			}
			hole := v1alpha1.CurvePoint{Size: int32(nodes), Message: quantity.Clip(why, 256)}
			at, known := slices.BinarySearchFunc(c.Points, hole, func(a, b v1alpha1.CurvePoint) int { return cmp.Compare(a.Size, b.Size) })
			if !known { // the program itself may have measured fewer
				c.Points = slices.Insert(slices.Clone(c.Points), at, hole)
			}
		}
	}
	if !judged {
		return d // a hole says why; bounds are about the whole
	}
	d.Findings = slices.Concat(d.Findings, list.Where(size.Findings, func(f v1alpha1.Finding) bool { return f.Verdict != v1alpha1.VerdictSkipped }))
	slices.SortStableFunc(d.Findings, func(a, b v1alpha1.Finding) int { return cmp.Compare(Severity(b.Verdict), Severity(a.Verdict)) })
	d.Findings = d.Findings[:min(len(d.Findings), rule.MaxFindings)]
	if Severity(size.Verdict) > Severity(d.Verdict) {
		d.Verdict, d.Reason = size.Verdict, size.Reason
		d.Message = quantity.Clip(AtSize(nodes, size.Message), message.Longest)
	}
	return d
}
