package runs

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/report"
)

// progress turns the states of a run, as they come, into what is new about it.
type progress struct {
	reported map[string]v1alpha1.Verdict // by node
	found    map[string]bool             // findings
}

// news are the nodes that got their verdict since the last call, and the findings that came.
func (p *progress) news(run *v1alpha1.ValidationRun) []string {
	if p.reported == nil {
		p.reported, p.found = map[string]v1alpha1.Verdict{}, map[string]bool{}
	}
	var lines []string
	for row := range list.Each(run.Status.Nodes) {
		if row.Verdict == v1alpha1.VerdictPending || row.Verdict == "" || p.reported[row.Name] == row.Verdict {
			continue
		}
		p.reported[row.Name] = row.Verdict
		line := message.Because(row.Name+" "+cmp.Or(endings[row.Verdict], "ended as "+string(row.Verdict)), output.Clean(row.Message))
		lines = append(lines, message.With(line, "; ", output.Clean(row.Note)))
	}
	for f := range list.Each(run.Status.Findings) {
		key := strings.Join(append([]string{f.Kind, f.Benchmark, f.Metric}, f.Members...), " ")
		if !p.found[key] {
			p.found[key] = true
			lines = append(lines, report.FindingTitle(f.Kind, f.Members)+": "+f.Benchmark+": "+output.Clean(f.Message))
		}
	}
	return lines
}

// endings of nodes, in words.
var endings = map[v1alpha1.Verdict]string{
	v1alpha1.VerdictPass: "passed", v1alpha1.VerdictFail: "failed", v1alpha1.VerdictError: "could not be measured",
	v1alpha1.VerdictMissing: "lacks a measurement", v1alpha1.VerdictInconclusive: "could not be judged", v1alpha1.VerdictSkipped: "was skipped",
}

// now says in one line where a run stands. What the nodes at work are doing changes every few seconds, and each change takes a line
// of its own, so it is left out; what holds the run up is there.
func now(run *v1alpha1.ValidationRun) string {
	const most = 3
	var details []string
	if c := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFinished); c != nil && c.Reason == v1alpha1.ReasonWaiting {
		left := 0
		for i, d := range together(run, v1alpha1.ReasonWaiting) {
			if i < most {
				details = append(details, d.text)
			} else {
				left += d.nodes
			}
		}
		if left > 0 {
			details = append(details, message.More(left))
		}
	}
	if cause := run.Status.LastWriteError; cause != "" {
		details = append(details, watchRefused(cause))
	}
	return standing(run, details)
}

// standing says in one line how far the run is.
func standing(run *v1alpha1.ValidationRun, details []string) string {
	c := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFinished)
	switch {
	case c != nil && (c.Reason == v1alpha1.ReasonInvalid || c.Reason == v1alpha1.ReasonUnreadable):
		return output.Clean(c.Message)
	case c == nil || run.Status.Summary == nil:
		return "waiting for the operator to pick up the run"
	case run.Spec.Suspend && c.Status != metav1.ConditionTrue:
		return "suspended (set spec.suspend to false to go on): " + watchProgress(*run.Status.Summary, nil)
	}
	return watchProgress(*run.Status.Summary, details)
}

// watchProgress says how many nodes are done and how they ended, how many are not, and details about some of those.
func watchProgress(s v1alpha1.RunSummary, details []string) string {
	text := "no nodes yet"
	if s.Nodes > 0 {
		text = fmt.Sprintf("%d of %s done", s.Nodes-s.Pending-s.Running, message.Several(s.Nodes, "node"))
	}
	text = message.With(message.Because(text, report.Done(s)), "; ", report.Open(s))
	return strings.Join(append([]string{text}, details...), "; ")
}

func watchRefused(cause string) string {
	return "the API server refused what the operator wrote, and the operator tries again: " + output.Clean(cause)
}

// doing is a line about some nodes.
type doing struct {
	text  string
	nodes int
}

// together are the nodes that no benchmark measures now and that are not done for this reason: one line for all that do, or wait for,
// the same.
func together(run *v1alpha1.ValidationRun, reason string) []doing {
	waiting := list.Those(run.Status.Nodes, func(row *v1alpha1.NodeRow) bool {
		return row.Verdict == v1alpha1.VerdictPending && row.Reason == reason && row.Message != "" && row.Measuring == nil
	})
	alike := list.Groups(waiting, func(row *v1alpha1.NodeRow) string { return output.Clean(row.Message) })
	return list.Map(alike, func(rows []*v1alpha1.NodeRow) doing {
		names := list.Map(rows, func(row *v1alpha1.NodeRow) string { return row.Name })
		most := 3
		if len(names) > most {
			most = 2
		}
		return doing{message.AndMore(names, most, len(names)) + ": " + output.Clean(rows[0].Message), len(rows)}
	})
}

// over says whether there is nothing more to wait for: the run finished, or it cannot start as it is. One that has started is
// Invalid for a moment while an upgrade replaces its Benchmarks, and goes on; if it does not, it finishes at its deadline.
func over(run *v1alpha1.ValidationRun) bool {
	c := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFinished)
	return c != nil && (c.Status == metav1.ConditionTrue || c.Reason == v1alpha1.ReasonInvalid && run.Status.StartTime == nil) &&
		c.ObservedGeneration >= run.Generation
}
