package message

import (
	"fmt"
	"time"
)

// What was, or was not, done about a node.

// Superseded is for a node that failed, where a later measurement has shown otherwise.
func Superseded() string { return "a later measurement supersedes this one" }

// OwnTermsOnly is for a node that failed a run by what only that run asks.
func OwnTermsOnly(rule, metric string) string {
	return fmt.Sprintf("not called unfit: the node broke %s by bounds or parameters that this run sets itself. Run the Benchmark as it is to judge the node",
		RuleOf(rule, metric))
}

// TaintOfOthers is for a node that carries a taint of the same key which Assay cannot account for.
func TaintOfOthers(key, effect string) string {
	return fmt.Sprintf("not tainted: the node carries a taint %s:%s that no record of Assay explains, so it stays as it is", key, effect)
}

// ResultUnreadable is for what a stored result of a node or group was about.
func ResultUnreadable(name string, err error) string {
	return "what ValidationResult " + name + " held could not be decoded, so it counts for nothing and this error stands in its place: find out who wrote it, then start another run: " + err.Error()
}

// TaintRefused is for a node of which the API server refuses the taint for good.
func TaintRefused(again time.Duration) string {
	return "the node is neither tainted nor counted as unfit, and Assay tries again every " + again.String() +
		": change the admission policy, webhook or right that refuses it"
}

// NotTainted says why a node that failed is not tainted.
func NotTainted(why string) string { return "not tainted: " + why }

// OperatorBudgetSpent is why no more nodes are called unfit: of all, of those with some devices, or of one instance type.
func OperatorBudgetSpent(unfit, nodes int, resource string, typed bool, instanceType string, limit int) string {
	of := "of the cluster"
	switch {
	case typed && instanceType != "":
		of = "of instance type " + instanceType
	case typed:
		of = "of no instance type"
	}
	if resource != "" {
		of += " that offer " + resource
	}
	return fmt.Sprintf("%d of %s %s are quarantined or convicted, and the operator allows %d (--max-quarantined-percent, --max-quarantined-nodes): repair and validate those first, or raise the limit",
		unfit, several(nodes, "node"), of, limit)
}

// NotCalledUnfit says why a node that failed a run that taints nobody is not called unfit.
func NotCalledUnfit(why string) string { return "not called unfit: " + why }

// StrayLifted is the event of a taint of Assay's that was removed as its quarantine is gone.
func StrayLifted() string {
	return "Assay removed a taint of its own that no record explains any more: whoever wrote it was overtaken, or the record was deleted"
}

// TaintAdopted is the event of a taint without a mark that Assay takes for its own.
func TaintAdopted(run string) string {
	return "the taint of run " + run + " had no annotation assay.dev/quarantine, and has it again: Assay counts it, and lifts it when a run passes what convicted the node. " +
		"To keep the taint yourself, give it another value"
}

// MarkLost is for a node whose taint the API server stores without its mark.
func MarkLost(node string) string {
	return "the API server stored node " + node + " without the annotation assay.dev/quarantine, so that its taint cannot be lifted: find the webhook or controller that removes it"
}

// Overtaken is for a node of which another leader, or a person, changed the record while it was being tainted.
func Overtaken(node string) string {
	return "the record of node " + node + " was changed while the node was tainted, so that the taint was taken back"
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

// LooksAgain is for the log, beside the error of a read.
func LooksAgain(after time.Duration) string {
	return "Assay could not read or delete all that it has to of this run, and tries again in " + after.String()
}

// HistoryRefused is for a node whose NodeHistory the API server does not take, ever.
func HistoryRefused(err string) string {
	return "the API server refused the NodeHistory, so Assay stored the verdict without what the node's parts reached: " + err
}

// HistoriesToMove is for the log, while histories of an earlier version are moved.
func HistoriesToMove(left int) string {
	return fmt.Sprintf("runs wait until the histories of %d nodes are moved out of their NodeValidations, where an earlier version kept them", left)
}

// HistoryForgotten is for a node that failed a benchmark, was measured again since, and has lost the history that tells the outcome.
func HistoryForgotten(benchmark string) string {
	return fmt.Sprintf("not called unfit: benchmark %s measured the node again later, and the NodeHistory that said which rules it met is lost; run it once more to decide", benchmark)
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
