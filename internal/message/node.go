package message

import (
	"fmt"
	"time"
)

// What was, or was not, done about a node.

// Superseded is for a node that failed, where a later measurement has shown otherwise.
func Superseded() string { return "a later measurement supersedes this one" }

// TaintOfOthers is for a node that carries a taint of the same key which Assay cannot account for.
func TaintOfOthers(key, effect string) string {
	return fmt.Sprintf("not tainted: the node carries a taint %s:%s that no record of Assay explains, so it stays as it is", key, effect)
}

// NotTainted says why a node that failed is not tainted.
func NotTainted(why string) string { return "not tainted: " + why }

// ClusterBudgetSpent is why no more nodes are tainted in the whole cluster.
func ClusterBudgetSpent(quarantined, nodes, limit int) string {
	return fmt.Sprintf("%d of %d nodes of the cluster are quarantined, and the operator may quarantine %d (--max-quarantined-percent, --max-quarantined-nodes): repair and validate those first, or raise the limit",
		quarantined, nodes, limit)
}

// NotMeasuredBy is why a conviction stands: the run did not measure what it rests on.
func NotMeasuredBy(benchmark string) string {
	return "this run did not measure " + benchmark + " on it"
}

// NotStored is for a node whose result the API server would not store to the end.
func NotStored(err error) string {
	return "measured, but the result could not be stored: " + err.Error()
}

// NotStoredEither is for a node whose turn to be stored did not come, as the API server stored none of those before it.
func NotStoredEither(err error) string {
	return "measured, but the result was not stored, as no other could be: " + err.Error()
}

// TriesAgain is for the operator's log, after a pass that could not write everything.
func TriesAgain(after time.Duration) string {
	return "Assay could not write all that this pass found, and tries again in " + after.String()
}

// HistoryRefused is for a node of which the API server does not take all that is known, ever.
func HistoryRefused(err string) string {
	return "the API server refused the node's history, so Assay dropped what its parts reached in passing runs and stored the rest: " + err
}

// FailedInRun is the event and the condition of a node that failed.
func FailedInRun(run, found string) string { return fmt.Sprintf("run %s: %s", run, found) }

// NotMeasuredInRun is the event of a node that was to be measured and could not be.
func NotMeasuredInRun(run, found string) string {
	return fmt.Sprintf("run %s could not measure the node: %s", run, found)
}

// Tainted is the event of a taint that was added.
func Tainted(run, taint, found string) string {
	return fmt.Sprintf("run %s put taint %s on the node: %s", run, taint, found)
}

// Untainted is the event of a taint that was lifted; benchmarks are those that had convicted the node.
func Untainted(run, taint, benchmarks string) string {
	return fmt.Sprintf("run %s lifted taint %s: the node now meets what %s had convicted it of", run, taint, benchmarks)
}
