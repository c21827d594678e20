package reports

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/report"
)

// reportTainted names the nodes that carry the taint; more is how many others do.
func reportTainted(nodes []string, more int) string {
	text := "Tainted: " + strings.Join(nodes, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// runCost is what a run took: "Cost: 192 GPU-seconds, 61.2 kJ". Many of them are GPU-hours.
func runCost(c *v1alpha1.Cost) string {
	text := fmt.Sprintf("Cost: %d GPU-seconds", c.GPUSeconds)
	if hours := float64(c.GPUSeconds) / 3600; hours >= 10 {
		text = fmt.Sprintf("Cost: %.4g GPU-hours", hours)
	}
	if c.Joules > 0 {
		text += ", " + quantity.Format(float64(c.Joules), "J")
	}
	return text
}

func reportNode(node string, verdict v1alpha1.Verdict) string {
	return fmt.Sprintf("%s: %s", node, verdict)
}

// reportTaintedNode heads what is said about a node that carries the taint, and the run that put it there. Either may be unknown.
func reportTaintedNode(node string, verdict v1alpha1.Verdict, taint, by string) string {
	text := reportNode(node, verdict) + ", tainted"
	text = message.With(text, " ", taint)
	text = message.With(text, " by run ", by)
	return text
}

// commandNeedsRuns says that a command is about runs, of the cluster or of files.
func commandNeedsRuns(command string) string {
	return fmt.Sprintf("no run is named: %[1]s RUN..., or %[1]s -f FILE for saved ones", command)
}

// commandInProgress says that a report will change.
func commandInProgress(run, progress string) string {
	done := ""
	if progress != "" {
		done = " (" + progress + " nodes done)"
	}
	return fmt.Sprintf("run %s is not over%s, so this report will still change: kubectl assay watch %s follows it", run, done, run)
}

// reportBefore says how a node did in earlier runs.
func reportBefore(b *report.Before) string {
	last := b.Runs[len(b.Runs)-1]
	return fmt.Sprintf("before: %s, last %s in run %s on %s", b.Marks(), last.Verdict, last.Name, message.Day(last.Time))
}

func commandNoSuchLabel(run, label string) string {
	return fmt.Sprintf("no node of run %s has the label %s: kubectl get nodes --show-labels lists the labels of all nodes", run, label)
}

// commandNoPlaces says why a label that was asked for is not looked at.
func commandNoPlaces(label string) string {
	return fmt.Sprintf("you may not list nodes of the cluster, so nothing is laid out by %s: ask an administrator for the right to get and list nodes, "+
		"or for a file that kubectl assay export saved", label)
}
