package cli

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Exit codes of watch. Everything that is neither a proof for nor against the nodes is exitUnknown.
const (
	exitPass    = 0
	exitFail    = 1
	exitUnknown = 2
)

// progress turns the states of a run, as they come, into what is new about it.
type progress struct {
	told map[string]v1alpha1.Verdict // by node
}

// news are the nodes that got their verdict since the last call.
func (p *progress) news(run *v1alpha1.ValidationRun) []string {
	if p.told == nil {
		p.told = map[string]v1alpha1.Verdict{}
	}
	var lines []string
	for i := range run.Status.Nodes {
		row := &run.Status.Nodes[i]
		if row.Verdict == v1alpha1.VerdictPending || row.Verdict == "" || p.told[row.Name] == row.Verdict {
			continue
		}
		p.told[row.Name] = row.Verdict
		text := fmt.Sprintf("%s: %s", row.Name, row.Verdict)
		if row.Message != "" {
			text += ", " + clean(row.Message)
		}
		lines = append(lines, text)
	}
	return lines
}

// now says in one line where a run stands; in detail also what the nodes are doing, which changes every few seconds.
func now(run *v1alpha1.ValidationRun, detail bool) string {
	c := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFinished)
	switch {
	case c == nil:
		return "waiting for the operator to see the run"
	case run.Spec.Suspend && c.Status != metav1.ConditionTrue:
		return "suspended: " + counts(run)
	case c.Reason == v1alpha1.ReasonInvalid:
		return clean(c.Message)
	}
	text := counts(run)
	if busy := busyNodes(run); detail && busy != "" {
		text += "; " + busy
	}
	return text
}

func counts(run *v1alpha1.ValidationRun) string {
	if run.Status.Summary == nil {
		return "no node yet"
	}
	return run.Status.Progress + " nodes done" + countsOf(*run.Status.Summary)
}

// busyNodes says what the first few nodes at work are doing.
func busyNodes(run *v1alpha1.ValidationRun) string {
	const most = 3
	var texts []string
	more := 0
	for i := range run.Status.Nodes {
		row := &run.Status.Nodes[i]
		if row.Verdict != v1alpha1.VerdictPending || row.Reason != v1alpha1.ReasonRunning || row.Message == "" {
			continue
		}
		if len(texts) == most {
			more++
			continue
		}
		texts = append(texts, row.Name+": "+clean(row.Message))
	}
	if more > 0 {
		texts = append(texts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(texts, "; ")
}

// over says whether there is nothing more to wait for: the run finished, or it cannot start as it is. One that has started is
// Invalid for a moment while an upgrade makes its Benchmarks anew, and goes on; if it does not, it finishes at its deadline.
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
