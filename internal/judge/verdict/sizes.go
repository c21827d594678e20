package verdict

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// JoinSize adds to the decision about a group what so many of its nodes showed. What could not be measured leaves a hole in the curve. Where
// the curve is judged, a hole means an error, and what falls short fails the curve.
func (d Decision) JoinSize(nodes int, size Decision, values map[string]bool, judged bool) Decision {
	if size.Verdict == v1alpha1.VerdictSkipped {
		size.Verdict = v1alpha1.VerdictError
	}
	d.Curves = slices.Clone(d.Curves)
	for i := range d.Curves {
		if c := &d.Curves[i]; c.Of == "node" && !values[c.Metric] && len(c.Points) < rule.MaxPoints {
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
	d.Findings = slices.Clone(d.Findings)
	for _, f := range size.Findings {
		if f.Verdict != v1alpha1.VerdictSkipped {
			d.Findings = append(d.Findings, f)
		}
	}
	slices.SortStableFunc(d.Findings, func(a, b v1alpha1.Finding) int { return cmp.Compare(Severity(b.Verdict), Severity(a.Verdict)) })
	d.Findings = d.Findings[:min(len(d.Findings), rule.MaxFindings)]
	if Severity(size.Verdict) > Severity(d.Verdict) {
		d.Verdict, d.Reason = size.Verdict, size.Reason
		d.Message = quantity.Clip(AtSize(nodes, size.Message), message.Longest)
	}
	return d
}
