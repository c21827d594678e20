package message

import (
	"fmt"
	"strings"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// ReportRun sums up a run: how it ended, how many nodes it had, how long it took, and what became of them. took is 0 where the
// run has not ended.
func ReportRun(run string, verdict v1alpha1.Verdict, reason string, s v1alpha1.RunSummary, took time.Duration) string {
	text := fmt.Sprintf("Run %s: %s", run, verdict)
	if reason != "" && reason != string(verdict) {
		text += " (" + reason + ")"
	}
	text += ", " + nodesCounted(s.Nodes)
	if took > 0 {
		text += " in " + durationShort(took)
	}
	return nodesListed(text, ": ", append(nodesDone(s), nodesOpen(s)...))
}

// ReportTainted names the nodes that carry the taint; more is how many others do.
func ReportTainted(nodes []string, more int) string {
	text := "Tainted: " + strings.Join(nodes, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// ReportNode heads what is said about a node.
func ReportNode(node string, verdict v1alpha1.Verdict) string {
	return fmt.Sprintf("%s: %s", node, verdict)
}

// ReportTaintedNode heads what is said about a node that carries the taint, and the run that put it there. Either may be unknown.
func ReportTaintedNode(node string, verdict v1alpha1.Verdict, taint, by string) string {
	text := ReportNode(node, verdict) + ", tainted"
	if taint != "" {
		text += " " + taint
	}
	if by != "" {
		text += " by run " + by
	}
	return text
}

// ReportFinding heads a finding about a link, a boundary or a set of nodes.
func ReportFinding(kind string, members []string) string {
	return kind + " " + strings.Join(members, ", ")
}

// ReportGroup names nodes that were measured together, and what came of it.
func ReportGroup(members []string, verdict v1alpha1.Verdict) string {
	return fmt.Sprintf("Group %s: %s", names(members), verdict)
}

// ReportMoreGroups counts the groups that are not shown.
func ReportMoreGroups(more int) string {
	return fmt.Sprintf("%d more groups did not pass: -o json and -o junit have them", more)
}

// ReportTitle heads a report in Markdown.
func ReportTitle(run string, verdict v1alpha1.Verdict) string {
	return fmt.Sprintf("Validation run %s: %s", run, verdict)
}

// WatchNode says how a node ended. The operator's message and note may be empty.
func WatchNode(node string, verdict v1alpha1.Verdict, message, note string) string {
	text := because(node+" "+nodeEnded(verdict), message)
	if note != "" {
		text += "; " + note
	}
	return text
}

// WatchProgress says how many nodes are done and how they ended, how many are not, and details about some of those.
func WatchProgress(s v1alpha1.RunSummary, details []string) string {
	text := "no nodes yet"
	if s.Nodes > 0 {
		text = fmt.Sprintf("%d of %s done", s.Nodes-s.Pending-s.Running, nodesCounted(s.Nodes))
	}
	text = nodesListed(text, ": ", nodesDone(s))
	text = nodesListed(text, "; ", nodesOpen(s))
	return strings.Join(append([]string{text}, details...), "; ")
}

// WatchNodes says what some nodes are doing, or waiting for.
func WatchNodes(nodes []string, what string) string {
	if len(nodes) > 3 {
		return fmt.Sprintf("%s, %s and %d more: %s", nodes[0], nodes[1], len(nodes)-2, what)
	}
	return strings.Join(nodes, ", ") + ": " + what
}

// WatchMore stands for the details that there is no room for.
func WatchMore(nodes int) string { return fmt.Sprintf("and %d more", nodes) }

// WatchRefused says what the API server would not take from the operator, which goes on trying.
func WatchRefused(cause string) string {
	return "the API server refused what the operator wrote, and the operator tries again: " + cause
}

// WatchUnseen stands where the operator has not written a status.
func WatchUnseen() string { return "waiting for the operator to pick up the run" }

// WatchSuspended says where a suspended run stands, and how it goes on.
func WatchSuspended(progress string) string {
	return "suspended (set spec.suspend to false to go on): " + progress
}

// WatchInterrupted says that to stop watching stops nothing else.
func WatchInterrupted(run string) string {
	return fmt.Sprintf("interrupted, but the run goes on: kubectl assay watch %s shows it again", run)
}

// WatchAway says that the API server does not answer, and for how long it is asked again.
func WatchAway(patience time.Duration, cause string) string {
	return fmt.Sprintf("the API server does not answer, and is asked again for up to %s: %s", durationShort(patience), cause)
}

// WatchAwayTooLong is what the error of a watch begins with that has waited for the API server long enough.
func WatchAwayTooLong(run string, patience time.Duration) string {
	return fmt.Sprintf("the API server has not answered for %s, but the run goes on, and kubectl assay watch %s shows it again", durationShort(patience), run)
}

// WatchDeleted says that the run went away before it was over.
func WatchDeleted(run string) string {
	return fmt.Sprintf("run %s was deleted before it was over", run)
}

// WatchReplaced says that the run is gone, and that its name is another's now.
func WatchReplaced(run string) string {
	return fmt.Sprintf("run %[1]s was deleted and created again: kubectl assay watch %[1]s shows the new one", run)
}

// CommandWatching a run was broken off by what follows.
func CommandWatching(run string) string { return "watching run " + run }

// CommandReading an object failed for what follows.
func CommandReading(kind, name string) string { return "reading " + kind + " " + name }

// CommandExit is for a program that ends with a code, where everything else was said.
func CommandExit(code int) string { return fmt.Sprintf("exit code %d", code) }

// CommandReadingResults is what an error of reading those of a run begins with.
func CommandReadingResults(run string) string { return "reading the results of run " + run }

// CommandReadingKubeconfig is what an error of reading it begins with.
func CommandReadingKubeconfig() string { return "reading the kubeconfig" }

// CommandNoRun says that no run has this name.
func CommandNoRun(run string) string {
	return fmt.Sprintf("there is no run %q: kubectl get validationruns lists all runs", run)
}

// CommandNoAPI says that the cluster is one without Assay.
func CommandNoAPI() string {
	return "this cluster does not know ValidationRuns: install Assay, or choose another cluster with --context"
}

// CommandNoCluster says that no kubeconfig names a cluster.
func CommandNoCluster() string {
	return "no cluster is configured: set KUBECONFIG, or name a kubeconfig with --kubeconfig"
}

// CommandNeedsRun says that a command is about exactly one run.
func CommandNeedsRun(command string, given int) string {
	return fmt.Sprintf("expected one argument, the name of a run, and got %d: %s RUN", given, command)
}

// CommandFlags says where the flags of a command are listed, after what was wrong with one.
func CommandFlags(command string) string { return command + " --help lists the flags" }

// CommandMayNot says whom to ask, after what a user may not do.
func CommandMayNot() string {
	return "ask an administrator to bind you to the ClusterRole assay-viewer"
}

// CommandFormat says which output formats there are.
func CommandFormat(given string, known []string) string {
	return fmt.Sprintf("unknown output format %q: choose one of %s", given, strings.Join(known, ", "))
}

// durationShort writes 94 s as 1m34s and 2 hours as 2h.
func durationShort(d time.Duration) string {
	text := d.Round(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func nodesCounted(n int32) string {
	if n == 1 {
		return "1 node"
	}
	return fmt.Sprintf("%d nodes", n)
}

// nodesDone counts the nodes that are done, by how they ended.
func nodesDone(s v1alpha1.RunSummary) []string {
	var all []string
	all = nodesThat(all, s.Passed, "passed")
	all = nodesThat(all, s.Failed, "failed")
	all = nodesThat(all, s.Errored, "could not be measured")
	all = nodesThat(all, s.NotJudged, "could not be judged")
	return nodesThat(all, s.Skipped, "skipped")
}

// nodesOpen counts the nodes that are not done.
func nodesOpen(s v1alpha1.RunSummary) []string {
	return nodesThat(nodesThat(nil, s.Running, "running"), s.Pending, "pending")
}

func nodesThat(all []string, n int32, did string) []string {
	if n == 0 {
		return all
	}
	return append(all, fmt.Sprintf("%d %s", n, did))
}

func nodesListed(text, separator string, counts []string) string {
	if len(counts) == 0 {
		return text
	}
	return text + separator + strings.Join(counts, ", ")
}

func nodeEnded(v v1alpha1.Verdict) string {
	switch v {
	case v1alpha1.VerdictPass:
		return "passed"
	case v1alpha1.VerdictFail:
		return "failed"
	case v1alpha1.VerdictError:
		return "could not be measured"
	case v1alpha1.VerdictMissing:
		return "lacks a measurement"
	case v1alpha1.VerdictInconclusive:
		return "could not be judged"
	case v1alpha1.VerdictSkipped:
		return "was skipped"
	default:
		return "ended as " + string(v)
	}
}
