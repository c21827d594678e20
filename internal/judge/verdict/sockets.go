package verdict

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// Sockets is the transport that an attempt's NCCL used between nodes, if it was sockets anywhere; else it is empty.
func Sockets(attempts []v1alpha1.Attempt) string {
	a := attempt.LastMeasured(attempts)
	if a == nil {
		return ""
	}
	for _, f := range a.Facts {
		if f.Name == v1alpha1.FactTransport && strings.Contains(f.Value, "Socket") {
			return f.Value
		}
	}
	return ""
}

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
	headline := slices.Clone(d.Headline)
	for i := range headline {
		headline[i].Verdict = v1alpha1.VerdictInconclusive
	}
	return Decision{Verdict: v1alpha1.VerdictInconclusive, Reason: v1alpha1.ReasonNotOverRDMA, Message: found.Message, Headline: headline, Curves: d.Curves,
		Findings: append([]v1alpha1.Finding{found}, kept...)}
}
