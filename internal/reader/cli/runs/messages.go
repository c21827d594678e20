package runs

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/report"
)

// watchNode says how a node ended. The operator's message and note may be empty.
func watchNode(node string, verdict v1alpha1.Verdict, said, note string) string {
	text := message.Because(node+" "+cmp.Or(endings[verdict], "ended as "+string(verdict)), said)
	text = message.With(text, "; ", note)
	return text
}

// watchProgress says how many nodes are done and how they ended, how many are not, and details about some of those.
func watchProgress(s v1alpha1.RunSummary, details []string) string {
	text := "no nodes yet"
	if s.Nodes > 0 {
		text = fmt.Sprintf("%d of %s done", s.Nodes-s.Pending-s.Running, message.Several(s.Nodes, "node"))
	}
	text = message.Because(text, report.Done(s))
	if open := report.Open(s); open != "" {
		text += "; " + open
	}
	return strings.Join(append([]string{text}, details...), "; ")
}

// watchNodes says what some nodes are doing, or waiting for.
func watchNodes(nodes []string, what string) string {
	if len(nodes) > 3 {
		return fmt.Sprintf("%s, %s and %d more: %s", nodes[0], nodes[1], len(nodes)-2, what)
	}
	return strings.Join(nodes, ", ") + ": " + what
}

func watchRefused(cause string) string {
	return "the API server refused what the operator wrote, and the operator tries again: " + cause
}

// endings of nodes, in words.
var endings = map[v1alpha1.Verdict]string{
	v1alpha1.VerdictPass: "passed", v1alpha1.VerdictFail: "failed", v1alpha1.VerdictError: "could not be measured",
	v1alpha1.VerdictMissing: "lacks a measurement", v1alpha1.VerdictInconclusive: "could not be judged", v1alpha1.VerdictSkipped: "was skipped",
}

// watchElapsed says for how long a benchmark has run, and about how long it takes; 0: not known.
func watchElapsed(elapsed, expected time.Duration) string {
	if expected == 0 {
		return message.Duration(elapsed)
	}
	return fmt.Sprintf("%s of about %s", message.Duration(elapsed), message.Duration(expected))
}

// watchValue is the last value of a node, with its percent of peak where that is known.
func watchValue(metric, value string, percentOfPeak float64, known bool) string {
	text := "last: " + metric + " " + value
	if known {
		text += fmt.Sprintf(" (%s of peak)", quantity.Percent(percentOfPeak))
	}
	return text
}

// watchLeft says how much of a run is done, from 0 to 1, and about how long the rest takes.
func watchLeft(done float64, left time.Duration) string {
	if left < time.Second {
		return "takes longer than expected"
	}
	step := time.Second
	if left > 5*time.Minute {
		step = time.Minute
	}
	return fmt.Sprintf("%d%%, about %s left", int(100*done), message.Duration(left.Round(step)))
}

// runCreated is what has become of a run, after its name; how says that it was only tried.
func runCreated(how string) string {
	if how == "" {
		return "created"
	}
	return "created (" + how + ")"
}

func runTaintForm(given string) string {
	return fmt.Sprintf("--taint %q cannot be read: write KEY=VALUE:EFFECT, with the effect NoSchedule, PreferNoSchedule or NoExecute", given)
}

func runNumberOrPercent(flag, given string, least int) string {
	return fmt.Sprintf("%[1]s is %[2]q, expected a number of at least %[3]d, or a percentage from %[3]d%% to 100%%", flag, given, least)
}

// runNames is for a list with an empty name in it, or a name twice.
func runNames(flag, name string) string {
	if name == "" {
		return flag + " has an empty name in it: write names with one comma between them"
	}
	return fmt.Sprintf("%s names %s twice", flag, name)
}

// runNoNodes says what the nodes have of the labels that a selector asks for. labels are sentences of labelValues.
func runNoNodes(selector string, nodes int, labels []string) string {
	if nodes == 0 {
		return "the cluster has no node to measure"
	}
	text := fmt.Sprintf("no node matches %s: the cluster has %s", selector, message.Several(nodes, "node"))
	return strings.Join(append([]string{text}, labels...), "; ")
}

// labelValues says which values nodes have of a label.
func labelValues(label string, values []string) string {
	if len(values) == 0 {
		return fmt.Sprintf("none has the label %s", label)
	}
	return fmt.Sprintf("their values of %s are %s", label, message.Names(values))
}

// runUnknownNodes names nodes that the cluster does not have.
func runUnknownNodes(lacking []string) string {
	if len(lacking) == 1 {
		return fmt.Sprintf("there is no node %s: kubectl get nodes lists all nodes", lacking[0])
	}
	return fmt.Sprintf("there are no nodes %s: kubectl get nodes lists all nodes", message.Names(lacking))
}

// runCause is one reason why the API server refused a run.
func runCause(field, why string) string {
	if field == "" || field == "<nil>" {
		return why
	}
	return field + ": " + why
}
