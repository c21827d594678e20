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

// deadlineCutShort says that nodes failed, and others were never measured.
func deadlineCutShort(by Cut) string {
	switch by {
	case CutByUser:
		return "the run was interrupted before everything was measured"
	case CutOnHost:
		return "--deadline passed before everything was measured"
	default:
		return "the deadline passed before every node was measured"
	}
}

// deadlinePassed says that nothing failed, but nodes were never measured.
func deadlinePassed(by Cut) string {
	switch by {
	case CutByUser:
		return deadlineCutShort(by)
	case CutOnHost:
		return deadlineCutShort(by) + ": raise it"
	default:
		return "activeDeadlineSeconds passed before every node was measured: raise it, or see what delayed the nodes"
	}
}

// runSummary joins what decided about a run, its counts that are not zero, and the worst node, as far as there is one of each.
func runSummary(cause string, s v1alpha1.RunSummary, worstNode, worst string) string {
	text := message.Because(message.Several(s.Nodes, "node"),
		message.Counts([]string{"failed", "could not be measured", "could not be judged", "skipped", "passed", "running", "pending", "tainted"},
			s.Failed, s.Errored, s.NotJudged, s.Skipped, s.Passed, s.Running, s.Pending, s.Tainted))
	if cause != "" {
		text = cause + "; " + text
	}
	if worstNode != "" {
		text += "; worst: " + message.Because(worstNode, worst)
	}
	return quantity.Clip(text, message.Longest)
}
