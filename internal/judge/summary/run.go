// Package summary sums up what nodes came to: the verdict of a run, the range of its headline metrics, and a status that fits into its bound.
package summary

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// Cut is what ends a run before it has measured everything.
type Cut int

const (
	// CutByDeadline is a run of a cluster whose activeDeadlineSeconds have passed.
	CutByDeadline Cut = iota
	// CutOnHost is a run of a single host whose --deadline has passed.
	CutOnHost
	// CutByUser is a run of a single host whose user has had enough.
	CutByUser
)

// cutShort says that it was, where nodes failed, and where none did.
var cutShort = map[Cut]struct{ failed, otherwise string }{
	CutByDeadline: {"the deadline passed before every node was measured",
		"activeDeadlineSeconds passed before every node was measured: raise it, or see what delayed the nodes"},
	CutOnHost: {"--deadline passed before everything was measured", "--deadline passed before everything was measured: raise it"},
	CutByUser: {"the run was interrupted before everything was measured", "the run was interrupted before everything was measured"},
}

// RunFacts are what the verdict of a run depends on.
type RunFacts struct {
	// Summary counts the run's nodes.
	Summary v1alpha1.RunSummary
	// BreakerOpen: the breaker stopped tainting; BreakerMessage says why.
	BreakerOpen    bool
	BreakerMessage string
	// DeadlineExceeded: activeDeadlineSeconds passed while nodes were still to be measured. It stays true when those are
	// written off as Missing.
	DeadlineExceeded bool
	// Cut is what that deadline is.
	Cut Cut
	// Findings about links and sets of nodes, which no single node is to blame for; Finding is the first one's message.
	Findings int
	Finding  string
	// WorstNode and WorstMessage of the node with the worst verdict.
	WorstNode, WorstMessage string
}

// Run gives the verdict of a run. What stopped the tainting comes before what failed, and that before what could not be
// measured: no later line may hide an earlier one. A run that measured nothing never passes.
func Run(in RunFacts) (v v1alpha1.Verdict, reason, text string) {
	s := in.Summary
	unfinished := s.Pending + s.Running
	isCutShort := in.DeadlineExceeded && unfinished+s.Errored > 0
	switch {
	case in.BreakerOpen:
		return v1alpha1.VerdictInconclusive, v1alpha1.ReasonBreakerOpen, in.summary(in.BreakerMessage)
	case unfinished > 0 && !in.DeadlineExceeded:
		return v1alpha1.VerdictPending, v1alpha1.ReasonRunning, in.summary("")
	case s.Failed > 0 && isCutShort:
		return v1alpha1.VerdictFail, v1alpha1.ReasonNodesFailed, in.summary(cutShort[in.Cut].failed)
	case s.Failed > 0:
		return v1alpha1.VerdictFail, v1alpha1.ReasonNodesFailed, in.summary("")
	case in.Findings > 0:
		return v1alpha1.VerdictFail, v1alpha1.ReasonGroupsFailed, in.summary(message.WithMore(in.Finding, in.Findings-1))
	case isCutShort:
		return v1alpha1.VerdictInconclusive, CutReason(in.Cut), in.summary(cutShort[in.Cut].otherwise)
	case s.Nodes == 0:
		return v1alpha1.VerdictInconclusive, v1alpha1.ReasonNoMatchingNodes, "no node matches: check selector and nodeNames"
	case s.Errored > 0:
		return v1alpha1.VerdictInconclusive, v1alpha1.ReasonInconclusive, in.summary("")
	case s.NotJudged > 0:
		return v1alpha1.VerdictInconclusive, v1alpha1.ReasonNotJudged, in.summary("")
	case s.Passed == 0:
		return v1alpha1.VerdictInconclusive, v1alpha1.ReasonInconclusive, in.summary("every node was skipped, so nothing is proved")
	default:
		return v1alpha1.VerdictPass, v1alpha1.ReasonPassed, in.summary("")
	}
}

// CutReason is why something was not measured before a run was cut short.
func CutReason(by Cut) string {
	if by == CutByUser {
		return v1alpha1.ReasonInterrupted
	}
	return v1alpha1.ReasonDeadlineExceeded
}

// summary joins what decided about a run, its counts that are not zero, and the worst node where its message explains the verdict.
func (in RunFacts) summary(cause string) string {
	s := in.Summary
	text := message.Because(message.Several(s.Nodes, "node"),
		message.Counts([]string{"failed", "could not be measured", "could not be judged", "skipped", "passed", "running", "pending", "tainted"},
			s.Failed, s.Errored, s.NotJudged, s.Skipped, s.Passed, s.Running, s.Pending, s.Tainted))
	if cause != "" {
		text = cause + "; " + text
	}
	if in.WorstNode != "" && (s.Failed+s.Errored+s.NotJudged > 0 || s.Skipped > 0 && s.Passed == 0) {
		text += "; worst: " + message.Because(in.WorstNode, in.WorstMessage)
	}
	return quantity.Clip(text, message.Longest)
}
