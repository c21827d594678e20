package cli

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
)

// progress turns the states of a run, as they come, into what is new about it.
type progress struct {
	reported map[string]v1alpha1.Verdict // by node
}

// news are the nodes that got their verdict since the last call.
func (p *progress) news(run *v1alpha1.ValidationRun) []string {
	if p.reported == nil {
		p.reported = map[string]v1alpha1.Verdict{}
	}
	var lines []string
	for i := range run.Status.Nodes {
		row := &run.Status.Nodes[i]
		if row.Verdict == v1alpha1.VerdictPending || row.Verdict == "" || p.reported[row.Name] == row.Verdict {
			continue
		}
		p.reported[row.Name] = row.Verdict
		lines = append(lines, message.WatchNode(row.Name, row.Verdict, clean(row.Message), clean(row.Note)))
	}
	return lines
}

// now says in one line where a run stands. What the nodes at work are doing changes every few seconds, so it is left out where
// each change takes a line of its own; what holds the run up is always there.
func now(run *v1alpha1.ValidationRun, everyChange bool) string {
	c := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFinished)
	switch {
	case c != nil && c.Reason == v1alpha1.ReasonInvalid:
		return clean(c.Message)
	case c == nil || run.Status.Summary == nil:
		return message.WatchUnseen()
	case run.Spec.Suspend && c.Status != metav1.ConditionTrue:
		return message.WatchSuspended(message.WatchProgress(*run.Status.Summary, nil))
	}
	var details []string
	if everyChange {
		details = nodesBy(run, v1alpha1.ReasonRunning)
	}
	if c.Reason == v1alpha1.ReasonWaiting {
		details = append(details, nodesBy(run, v1alpha1.ReasonWaiting)...)
	}
	if cause := run.Status.LastWriteError; cause != "" {
		details = append(details, message.WatchRefused(clean(cause)))
	}
	return message.WatchProgress(*run.Status.Summary, details)
}

// nodesBy says what the pending nodes with this reason are doing: those that do the same in one entry, and only the first few.
func nodesBy(run *v1alpha1.ValidationRun, reason string) []string {
	const most = 3
	var doing []string
	nodes := map[string][]string{}
	for i := range run.Status.Nodes {
		row := &run.Status.Nodes[i]
		if row.Verdict != v1alpha1.VerdictPending || row.Reason != reason || row.Message == "" {
			continue
		}
		what := clean(row.Message)
		if nodes[what] == nil {
			doing = append(doing, what)
		}
		nodes[what] = append(nodes[what], row.Name)
	}
	var details []string
	left := 0
	for n, what := range doing {
		if n < most {
			details = append(details, message.WatchNodes(nodes[what], what))
		} else {
			left += len(nodes[what])
		}
	}
	if left > 0 {
		details = append(details, message.WatchMore(left))
	}
	return details
}

// over says whether there is nothing more to wait for: the run finished, or it cannot start as it is. One that has started is
// Invalid for a moment while an upgrade replaces its Benchmarks, and goes on; if it does not, it finishes at its deadline.
func over(run *v1alpha1.ValidationRun) bool {
	c := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFinished)
	return c != nil && (c.Status == metav1.ConditionTrue || c.Reason == v1alpha1.ReasonInvalid && run.Status.StartTime == nil) &&
		c.ObservedGeneration >= run.Generation
}

// exitCode of a run that is over.
func exitCode(run *v1alpha1.ValidationRun) int {
	if !meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionFinished) {
		return exitUnknown
	}
	switch run.Status.Verdict {
	case v1alpha1.VerdictPass:
		return exitPass
	case v1alpha1.VerdictFail:
		return exitFail
	default:
		return exitUnknown
	}
}
